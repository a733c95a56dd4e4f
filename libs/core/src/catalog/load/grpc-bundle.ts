import { z } from 'zod';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit, canonicalHash, canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { readForeign } from '../../kernel/verdict/read-foreign.js';
import { verdictLine } from '../../kernel/verdict/verdict-line.js';
import { readInlineManifests } from '../bundle/inline-manifests.js';
import type { Property } from '../model/catalog.js';
import type { EntryRecord, PackageRecord } from '../model/package-record.js';
import { asWritten } from '../model/written-property.js';

/** An API as api.Bundle lists it; `plural` is empty in practice. */
export type GrpcApi = Readonly<{ group: string; version: string; kind: string; plural: string }>;

/** Type and JSON text of a value: the form of properties and dependencies in api.Bundle. */
export type GrpcTypedText = Readonly<{ type: string; value: string }>;

/** Message api.Bundle, absent fields empty (spec: file-based-catalogs.md §8). */
export type GrpcBundle = Readonly<{
  csvName: string;
  packageName: string;
  channelName: string;
  csvJson: string;
  object: readonly string[];
  bundlePath: string;
  providedApis: readonly GrpcApi[];
  requiredApis: readonly GrpcApi[];
  version: string;
  skipRange: string;
  dependencies: readonly GrpcTypedText[];
  properties: readonly GrpcTypedText[];
  replaces: string;
  skips: readonly string[];
  deprecation: Readonly<{ message: string }> | null;
}>;

/** Message api.Package. */
export type GrpcPackage = Readonly<{
  name: string;
  channels: readonly Readonly<{ name: string; csvName: string; deprecation: GrpcBundle['deprecation'] }>[];
  defaultChannelName: string;
  deprecation: GrpcBundle['deprecation'];
}>;

/**
 * A listed catalog as records. `inline` has the manifests of bundles without image, by the
 * digest their record names.
 */
export type GrpcRecords = Readonly<{
  records: readonly PackageRecord[];
  inline: ReadonlyMap<`sha256:${string}`, readonly unknown[]>;
  /** Bundles that could not be understood and were left out, one line each: status of the catalog. */
  leftOut: readonly string[];
}>;

/**
 * Converts the bundles of a registry server into package records (spec: classic-resolution.md §2.2). Bundles
 * of a package that is not among `packages`, and bundles that cannot be read, are left out, as OLM leaves
 * them out.
 */
export function recordsOfGrpc(bundles: readonly GrpcBundle[], packages: readonly GrpcPackage[]): GrpcRecords {
  const inline = new Map<`sha256:${string}`, readonly KubernetesObject[]>();
  const leftOut: string[] = [];
  const byPackage = Map.groupBy(bundles, (bundle) => bundle.packageName);
  const entriesOf = (name: string) =>
    (byPackage.get(name) ?? []).flatMap((bundle) => {
      try {
        const { entry, objects } = entryOf(bundle);
        if ('inline' in entry.source) inline.set(`sha256:${canonicalHash(objects)}`, objects);
        return [entry];
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        leftOut.push(verdictLine([`package "${name}"`, `bundle "${bundle.csvName}"`], why));
        return [];
      }
    });
  const records = packages
    .map((pkg) => packageRecord(pkg, entriesOf(pkg.name)))
    .toSorted((a, b) => byCodeUnit(a.name, b.name));
  return { records, inline, leftOut };
}

function packageRecord(pkg: GrpcPackage, entries: EntryRecord[]): PackageRecord {
  const channels = pkg.channels.flatMap(({ name, deprecation }) =>
    deprecation === null ? [] : [[name, deprecation.message] as const],
  );
  return {
    name: pkg.name,
    defaultChannel: pkg.defaultChannelName,
    ...(pkg.deprecation === null ? {} : { deprecation: pkg.deprecation.message }),
    ...(channels.length === 0 ? {} : { channelDeprecations: Object.fromEntries(channels) }),
    entries: entries.toSorted((a, b) => byCodeUnit(a.channel, b.channel) || byCodeUnit(a.name, b.name)),
  };
}

function entryOf(bundle: GrpcBundle): { entry: EntryRecord; objects: readonly KubernetesObject[] } {
  const objects = bundle.bundlePath === '' ? objectsOf(bundle) : [];
  const entry: EntryRecord = {
    name: bundle.csvName,
    channel: bundle.channelName,
    version: bundle.version,
    replaces: bundle.replaces,
    skips: bundle.skips,
    skipRange: bundle.skipRange,
    properties: propertiesOf(bundle),
    source: bundle.bundlePath === '' ? { inline: `sha256:${canonicalHash(objects)}` } : { image: bundle.bundlePath },
    ...(bundle.deprecation === null ? {} : { deprecation: bundle.deprecation.message }),
  };
  return { entry, objects };
}

function objectsOf({ object, csvJson }: GrpcBundle): KubernetesObject[] {
  const texts = object.length > 0 ? object : [csvJson].filter((text) => text !== '');
  if (texts.length === 0) throw new Error('it has neither an image nor manifests');
  const read = readInlineManifests(texts.map((text): unknown => JSON.parse(text)));
  if ('problem' in read) throw new Error(read.problem);
  return [...read.objects];
}

/**
 * Returns the bundle's own properties, then those of the older fields, each once: repeating one changes no
 * resolution.
 */
function propertiesOf(bundle: GrpcBundle): Property[] {
  const own: Property[] = bundle.properties.map(({ type, value }) => ({ type, value: JSON.parse(value) }));
  const provided = own.length > 0 ? own : bundle.providedApis.map((api) => apiProperty('olm.gvk', api));
  const required =
    bundle.dependencies.length > 0
      ? bundle.dependencies.map(propertyOfDependency)
      : bundle.requiredApis.map((api) => apiProperty('olm.gvk.required', api));
  const all = [...provided, ...required];
  if (!all.some(({ type }) => type === 'olm.package')) {
    all.push({ type: 'olm.package', value: { packageName: bundle.packageName, version: bundle.version } });
  }
  return [...new Map(all.map((property) => [canonicalJson(property), property])).values()].map(asWritten);
}

const PackageDependency = z.looseObject({ packageName: z.string(), version: z.string() });

const apiProperty = (type: string, { group, version, kind }: GrpcApi): Property => ({
  type,
  value: { group, kind, version },
});

function propertyOfDependency({ type, value }: GrpcTypedText): Property {
  const parsed: unknown = JSON.parse(value);
  if (type === 'olm.gvk') return { type: 'olm.gvk.required', value: parsed };
  if (type === 'olm.label') return { type: 'olm.label.required', value: parsed };
  if (type !== 'olm.package') throw new Error(`unknown dependency type "${type}"`);
  const read = readForeign(PackageDependency, parsed);
  if ('problem' in read) throw new Error(`dependency olm.package: ${read.problem}`);
  const { packageName, version } = read.value;
  return { type: 'olm.package.required', value: { packageName, versionRange: version } };
}
