import type { Property } from '../../../catalog/model/catalog.js';
import { type Entry, installedEntry } from '../../../catalog/model/entry.js';
import { GoTypeError, listOf, struct, text } from '../../../kernel/json/go-json.js';
import { parseTolerant } from '../../../kernel/versions/blang-version.js';
import { goQuote } from '../../../kernel/versions/go-quote.js';
import { formatVersion } from '../../../kernel/versions/version.js';
import { FAIL_FORWARD } from './desired-namespace.js';
import type { DesiredNamespace, InstalledCsv } from './resolution-problem.js';

type Result<T> = Readonly<{ value: T }> | Readonly<{ error: string }>;

/**
 * Returns the snapshot `@existing` of the CSVs installed in the namespace (spec: classic-resolution.md §3).
 */
export function installedEntries(desiredNamespace: DesiredNamespace): Result<Entry[]> {
  const kept = desiredNamespace.operatorGroups.some(({ upgradeStrategy }) => upgradeStrategy === FAIL_FORWARD)
    ? withoutFailedForward(desiredNamespace)
    : { value: desiredNamespace.csvs };
  if ('error' in kept) return kept;
  const entries: Entry[] = [];
  for (const csv of kept.value) {
    const properties = propertiesOf(csv, desiredNamespace);
    if ('error' in properties) return properties;
    const orphan = !desiredNamespace.subscriptions.some(({ installedCSV }) => installedCSV === csv.name);
    entries.push(installedEntry(desiredNamespace.namespace, { ...csv, orphan }, properties.value));
  }
  return { value: entries };
}

/** Reads as Go does: a property without value keeps none, unlike one with null. */
const propertiesAnnotation = struct('projection.propertiesAnnotation', (field) =>
  field(
    'properties',
    listOf(
      struct('projection.property', (inner) => ({
        type: inner('type', text),
        value: inner('value', (value): unknown => value),
      })),
      'projection.property',
    ),
  ),
);

function propertiesOf(csv: InstalledCsv, desiredNamespace: DesiredNamespace): Result<readonly Property[]> {
  if (csv.propertiesAnnotation === undefined) return inferredProperties(csv, desiredNamespace);
  try {
    const parsed: unknown = JSON.parse(csv.propertiesAnnotation);
    return { value: propertiesAnnotation(parsed, { struct: '', path: '' }) ?? [] };
  } catch (error) {
    const why = error instanceof GoTypeError ? error.message : 'it is not JSON';
    return {
      error: `failed to retrieve properties of csv ${goQuote(csv.name)}: failed to unmarshal properties annotation: ${why}`,
    };
  }
}

/**
 * Infers properties of a CSV without the annotation: its spec gives its APIs, and a single Subscription its
 * package. The packages that it requires stay unknown.
 */
function inferredProperties(csv: InstalledCsv, desiredNamespace: DesiredNamespace): Result<readonly Property[]> {
  const nameless = [...csv.ownedApis, ...csv.requiredApis].find(({ name }) => !name.includes('.'));
  if (nameless !== undefined) return { error: `error parsing crd name: ${nameless.name}` };
  const api = ({ group, version, kind }: InstalledCsv['ownedApis'][number]) => ({ group, version, kind });
  const packages = new Set(
    desiredNamespace.subscriptions
      .filter(({ installedCSV }) => installedCSV === csv.name)
      .map((desired) => desired.package),
  );
  const [only, ...others] = packages;
  const inferred =
    only === undefined || others.length > 0
      ? []
      : [{ type: 'olm.package', value: { packageName: only, version: knownVersion(csv.version) } }];
  return {
    value: [
      ...csv.ownedApis.map((owned) => ({ type: 'olm.gvk', value: api(owned) })),
      ...csv.requiredApis.map((required) => ({ type: 'olm.gvk.required', value: api(required) })),
      ...inferred,
    ],
  };
}

function knownVersion(written: string): string {
  const version = parseTolerant(written);
  if ('error' in version) return '';
  const canonical = formatVersion(version);
  return canonical === '0.0.0' ? '' : canonical;
}

/**
 * Fail forward: leaves out a CSV in phase Replacing if its chain of replacements ends in a failed one (spec:
 * classic-resolution.md §3).
 */
function withoutFailedForward({ csvs, namespace }: DesiredNamespace): Result<InstalledCsv[]> {
  const replacers = new Map(csvs.filter(({ replaces }) => replaces !== '').map((csv) => [csv.replaces, csv]));
  const kept: InstalledCsv[] = [];
  for (const csv of csvs) {
    const last = endOfChain(csv, replacers, namespace);
    if ('error' in last) return last;
    if (csv.phase !== 'Replacing' || last.value.phase !== 'Failed') kept.push(csv);
  }
  return { value: kept };
}

function endOfChain(
  start: InstalledCsv,
  replacers: ReadonlyMap<string, InstalledCsv>,
  namespace: string,
): Result<InstalledCsv> {
  const seen = new Set<string>();
  let current = start;
  for (;;) {
    if (seen.has(current.name)) return { error: `csv ${namespace}/${current.name} has already been seen` };
    seen.add(current.name);
    const next = replacers.get(current.name);
    if (next === undefined) return { value: current };
    if (current.phase !== 'Replacing') {
      return { error: `csv ${namespace}/${current.name} in phase ${current.phase} instead of Replacing` };
    }
    current = next;
  }
}
