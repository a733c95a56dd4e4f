import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import type {
  Catalog,
  CatalogBundle,
  CatalogChannel,
  CatalogDeprecation,
  CatalogPackage,
  ChannelEntry,
  Property,
} from '../model/catalog.js';
import type { EntryRecord, PackageRecord } from '../model/package-record.js';
import { stringFields } from '../model/property-value.js';
import { asWritten } from '../model/written-property.js';
import { type BlobConsumer, blobsOf, detached } from '../read/blob-consumer.js';
import type { DecodedBlob } from '../read/decode-blob.js';

/** The common part of a bundle's entries, as JSON text, so that no other part of the blob stays in memory. */
type BundleText = string;
type BundlePart = Pick<EntryRecord, 'version' | 'properties' | 'source'>;
type PackageParts = { channels: Pick<CatalogChannel, 'name' | 'entries'>[]; bundles: Map<string, BundleText> };

/**
 * Collects the facts that resolution needs of a catalog from its blobs: one record per package. Entries
 * without bundle and bundles without entry are left out (spec: classic-resolution.md §2.1). `inlineDigestOf`
 * names the manifests of a bundle without image.
 */
export class PackageRecordBuilder implements BlobConsumer {
  readonly #packages: Pick<CatalogPackage, 'name' | 'defaultChannel'>[] = [];
  readonly #parts = new Map<string, PackageParts>();
  readonly #deprecations: CatalogDeprecation[] = [];

  constructor(private readonly inlineDigestOf: (bundle: CatalogBundle) => string) {}

  take(decoded: DecodedBlob): void {
    switch (decoded.kind) {
      case 'package': {
        const { name, defaultChannel } = decoded.blob;
        this.#packages.push(detached({ name, defaultChannel }));
        break;
      }
      case 'channel': {
        const { package: owner, name, entries } = detached(decoded.blob);
        this.#partsOf(owner).channels.push({ name, entries });
        break;
      }
      case 'bundle': {
        const { package: owner, name } = detached({ package: decoded.blob.package, name: decoded.blob.name });
        this.#partsOf(owner).bundles.set(name, JSON.stringify(bundlePart(decoded.blob, this.inlineDigestOf)));
        break;
      }
      case 'deprecation':
        this.#deprecations.push(detached(decoded.blob));
        break;
      case 'other':
    }
  }

  /** The records, sorted by package, each made when it is asked for. */
  *records(): Generator<PackageRecord> {
    const messages = deprecationsOf(this.#deprecations);
    for (const pkg of this.#packages.toSorted((a, b) => byCodeUnit(a.name, b.name))) {
      yield recordOf(pkg, this.#partsOf(pkg.name), messages.get(pkg.name) ?? new Map());
    }
  }

  #partsOf(owner: string): PackageParts {
    const known = this.#parts.get(owner);
    if (known !== undefined) return known;
    const parts = { channels: [], bundles: new Map() };
    this.#parts.set(owner, parts);
    return parts;
  }
}

/** Returns {@link PackageRecordBuilder.records} of a loaded catalog. */
export function packageRecords(catalog: Catalog, inlineDigestOf: (bundle: CatalogBundle) => string): PackageRecord[] {
  const builder = new PackageRecordBuilder(inlineDigestOf);
  for (const blob of blobsOf(catalog)) builder.take(blob);
  return [...builder.records()];
}

function recordOf(
  pkg: Pick<CatalogPackage, 'name' | 'defaultChannel'>,
  { channels, bundles }: PackageParts,
  messages: ReadonlyMap<string, string>,
): PackageRecord {
  const parsed = new Map<string, BundlePart>();
  for (const [name, text] of bundles) parsed.set(name, JSON.parse(text));
  const entries = channels.flatMap((channel) =>
    (channel.entries ?? []).flatMap((entry) => {
      const bundle = parsed.get(entry.name);
      if (bundle === undefined) return [];
      return [entryRecord(channel.name, entry, bundle, messages.get(`olm.bundle/${entry.name}`))];
    }),
  );
  return packageRecord(pkg, entries, messages);
}

function packageRecord(
  pkg: Pick<CatalogPackage, 'name' | 'defaultChannel'>,
  entries: EntryRecord[],
  messages: ReadonlyMap<string, string>,
): PackageRecord {
  const deprecation = messages.get('olm.package/');
  const channelDeprecations = Object.fromEntries(
    [...messages]
      .filter(([reference]) => reference.startsWith('olm.channel/'))
      .map(([reference, message]) => [reference.slice('olm.channel/'.length), message]),
  );
  return {
    name: pkg.name,
    defaultChannel: pkg.defaultChannel,
    ...(deprecation === undefined ? {} : { deprecation }),
    ...(Object.keys(channelDeprecations).length === 0 ? {} : { channelDeprecations }),
    entries: entries.sort((a, b) => byCodeUnit(a.channel, b.channel) || byCodeUnit(a.name, b.name)),
  };
}

const HEAVY = new Set(['olm.bundle.object', 'olm.csv.metadata']);

function entryRecord(
  channel: string,
  entry: ChannelEntry,
  { version, properties, source }: BundlePart,
  deprecation: string | undefined,
): EntryRecord {
  return {
    name: entry.name,
    channel,
    version,
    replaces: entry.replaces ?? '',
    skips: entry.skips ?? [],
    skipRange: entry.skipRange ?? '',
    properties,
    source,
    ...(deprecation === undefined ? {} : { deprecation }),
  };
}

function bundlePart(bundle: CatalogBundle, inlineDigestOf: (bundle: CatalogBundle) => string): BundlePart {
  const version = versionOf(bundle.properties);
  const light = bundle.properties.filter(({ type }) => !HEAVY.has(type)).map(asWritten);
  const hasPackage = light.some(({ type }) => type === 'olm.package');
  return {
    version,
    properties: hasPackage
      ? light
      : [...light, { type: 'olm.package', value: { packageName: bundle.package, version } }],
    source: bundle.image === '' ? { inline: inlineDigestOf(bundle) } : { image: bundle.image },
  };
}

function versionOf(properties: readonly Property[]): string {
  const property = properties.find(({ type }) => type === 'olm.package');
  return stringFields(property?.value ?? null, ['version'])?.version ?? '';
}

/** Maps `olm.package/`, `olm.channel/<name>` and `olm.bundle/<name>` of each package to their messages. */
function deprecationsOf(deprecations: readonly CatalogDeprecation[]): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const { package: name, entries } of deprecations) {
    const messages = found.get(name) ?? new Map<string, string>();
    for (const { reference, message } of entries ?? []) {
      const named = reference.schema === 'olm.package' ? '' : reference.name;
      messages.set(`${reference.schema}/${named}`, message);
    }
    found.set(name, messages);
  }
  return found;
}
