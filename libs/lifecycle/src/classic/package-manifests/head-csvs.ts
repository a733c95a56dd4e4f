import type { MetasQuery } from '#core/catalog/metas/metas-query';
import type { CatalogBundle, CatalogPackage } from '#core/catalog/model/catalog';
import type { EntryRecord, PackageRecord } from '#core/catalog/model/package-record';
import { decodeBlob } from '#core/catalog/read/decode-blob';
import { channelsOf, headOf } from '#core/classic/package-manifest/package-content';
import type { ContentStore } from '#platform/content/content-store.port';
import { isDigest } from '#platform/content/digest';
import type { MetasContent } from '#platform/metas/metas-content';
import { singleBundle } from '#platform/registry/grpc/grpc-bundle-message';

const LINE_FEED = 0x0a;

/** Sources of the CSVs of a catalog's bundles. */
type CsvPlaces = Readonly<{
  store: Pick<ContentStore, 'get'>;
  /** The blobs of a catalog image. Absent for bundles that a ConfigMap or a registry server lists. */
  blobs: MetasContent | undefined;
}>;

/**
 * The CSVs of the heads of a package's channels, by channel, as a registry server gives them: the
 * one in the catalog, or one made of the metadata there. Of all blobs only those of the package
 * and of its heads are read.
 */
export async function headCsvs(record: PackageRecord, places: CsvPlaces): Promise<ReadonlyMap<string, unknown>> {
  const byBundle = new Map<string, Promise<unknown>>();
  const owner = places.blobs && (await packageBlob(places.blobs, record.name));
  const heads = new Map<string, unknown>();
  for (const [channel, entries] of channelsOf(record)) {
    const head = headOf(entries);
    if (head === undefined) continue;
    const csv = byBundle.get(head.name) ?? csvOf(head, record.name, owner, places);
    byBundle.set(head.name, csv);
    heads.set(channel, await csv);
  }
  return heads;
}

async function csvOf(
  head: EntryRecord,
  owner: string,
  pkg: CatalogPackage | undefined,
  { store, blobs }: CsvPlaces,
): Promise<unknown> {
  if (blobs === undefined || pkg === undefined) return inlineCsv(head, store);
  const bundle = await bundleBlob(blobs, owner, head.name);
  if (bundle === undefined) return undefined;
  const { csvJson } = singleBundle({ pkg, channel: head.channel, entry: { name: head.name }, bundle });
  return csvJson === '' ? undefined : JSON.parse(csvJson);
}

async function inlineCsv({ source }: EntryRecord, store: Pick<ContentStore, 'get'>): Promise<unknown> {
  if (!('inline' in source) || !isDigest(source.inline)) return undefined;
  const bytes = await store.get(source.inline);
  const objects: unknown = bytes === undefined ? [] : JSON.parse(Buffer.from(bytes).toString());
  return Array.isArray(objects) ? objects.find((object) => object?.kind === 'ClusterServiceVersion') : undefined;
}

async function packageBlob(blobs: MetasContent, name: string): Promise<CatalogPackage | undefined> {
  const decoded = await blobOf(blobs, { schema: 'olm.package', name });
  return decoded?.kind === 'package' ? decoded.blob : undefined;
}

async function bundleBlob(blobs: MetasContent, owner: string, name: string): Promise<CatalogBundle | undefined> {
  const decoded = await blobOf(blobs, { schema: 'olm.bundle', package: owner, name });
  return decoded?.kind === 'bundle' ? decoded.blob : undefined;
}

async function blobOf(blobs: MetasContent, query: MetasQuery) {
  const [range] = blobs.index.find(query);
  if (range === undefined) return undefined;
  const bytes = Buffer.concat(await blobs.readTogether([range]));
  // Neighbours that match come as one range; the first is the requested one.
  const end = bytes.indexOf(LINE_FEED);
  return decodeBlob(JSON.parse(bytes.toString('utf8', 0, end < 0 ? bytes.length : end)));
}
