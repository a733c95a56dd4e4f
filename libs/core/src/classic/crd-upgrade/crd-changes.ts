import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { type CrdVersion, crdVersions } from '../../kernel/crd/crd-versions.js';
import { asRecord, asText } from '../../kernel/crd/loose-value.js';

type Versions = ReadonlyMap<string, CrdVersion>;

const byName = (crd: KubernetesObject): Versions => new Map(crdVersions(crd).map((version) => [version.name, version]));

const storageOf = (versions: Versions): string => [...versions.values()].find(({ storage }) => storage)?.name ?? '';

const conversionOf = (crd: KubernetesObject): string =>
  asText(asRecord(asRecord(crd['spec'])['conversion'])['strategy']) || 'None';

/**
 * Fields of a schema that the API server leaves out when they have this value, since its type omits empty
 * values.
 */
const OMITTED_WHEN_FALSE: ReadonlySet<string> = new Set([
  'exclusiveMaximum',
  'exclusiveMinimum',
  'nullable',
  'uniqueItems',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
]);
const OMITTED_WHEN_EMPTY: ReadonlySet<string> = new Set([
  ...['$ref', 'allOf', 'anyOf', 'definitions', 'dependencies', 'description', 'enum', 'format', 'id', 'oneOf'],
  ...['pattern', 'patternProperties', 'properties', 'required', 'title', 'type', '$schema'],
  ...['x-kubernetes-list-map-keys', 'x-kubernetes-validations'],
]);
/** Fields that hold schemas by name: their keys are names, not fields. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);
/** Fields with data as values, not schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'enum', 'example']);

/**
 * Returns a schema as the API server stores it. Values that its Go type omits (mainly empty lists and texts)
 * are no change.
 */
export function schemaAsStored(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(schemaAsStored);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([key, value]) => !isOmitted(key, value));
  return Object.fromEntries(entries.map(([key, value]) => [key, DATA.has(key) ? value : storedField(key, value)]));
}

const storedField = (key: string, value: unknown): unknown =>
  BY_NAME.has(key) && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(asRecord(value)).map(([name, inner]) => [name, schemaAsStored(inner)]))
    : schemaAsStored(value);

function isOmitted(key: string, value: unknown): boolean {
  if (value === null) return true;
  if (OMITTED_WHEN_FALSE.has(key)) return value === false;
  if (!OMITTED_WHEN_EMPTY.has(key)) return false;
  return value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

function changesOf(before: CrdVersion, after: CrdVersion): string[] {
  const { name } = before;
  return [
    ...(before.served && !after.served ? [`no longer serves ${name}`] : []),
    ...(!before.served && after.served ? [`serves ${name}`] : []),
    ...(canonicalJson(schemaAsStored(before.schema ?? {})) === canonicalJson(schemaAsStored(after.schema ?? {}))
      ? []
      : [`changes the schema of ${name}`]),
  ];
}

/** Describes in words the changes for users of the CRD, version by version in the order of the CRDs. */
export function crdChanges(current: KubernetesObject, next: KubernetesObject): string[] {
  const [before, after] = [byName(current), byName(next)];
  const added = [...after.keys()].filter((name) => !before.has(name)).map((name) => `adds ${name}`);
  const kept = [...before].flatMap(([name, version]) => {
    const later = after.get(name);
    return later === undefined ? [`removes ${name}`] : changesOf(version, later);
  });
  const [stored, storedLater] = [storageOf(before), storageOf(after)];
  const [converted, convertedLater] = [conversionOf(current), conversionOf(next)];
  return [
    ...added,
    ...kept,
    ...(stored === storedLater ? [] : [`stores ${storedLater} instead of ${stored}`]),
    ...(converted === convertedLater ? [] : [`converts by ${convertedLater} instead of ${converted}`]),
  ];
}
