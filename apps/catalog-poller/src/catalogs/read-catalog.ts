import type { BundleFile } from '#core/bundle/bundle';
import { canonicalHash, canonicalJson } from '#core/canonical/canonical-json';
import type { Catalog, CatalogBundle } from '#core/catalog/catalog';
import { loadCatalog } from '#core/catalog/load-catalog';
import { validateCatalog } from '#core/catalog/validate-catalog';
import { catalogToJson } from '#core/catalog/write-catalog';
import { packageRecords } from '#core/resolution/package-records';
import type { PackageRecord } from '#core/resolution/resolution-problem';

/** A catalog as the poller keeps it, or every reason why it cannot. Plain data: it crosses a thread boundary. */
export type ReadCatalog =
  | Readonly<{
      records: readonly PackageRecord[];
      inline: readonly Uint8Array[];
      /** The whole catalog as a JSON stream, for whoever wants to see what the hub holds. */
      json: Uint8Array;
    }>
  | Readonly<{ problems: readonly string[] }>;

/** Loads and validates the files of a catalog, and keeps what resolution and installation need of it. */
export function readCatalog(files: readonly BundleFile[]): ReadCatalog {
  const catalog = loadCatalog(files);
  const problems = validateCatalog(catalog).map(({ message }) => message);
  if (problems.length > 0) return { problems };
  const json = new TextEncoder().encode(catalogToJson(catalog));
  return { records: packageRecords(catalog, inlineDigest), inline: inlineManifests(catalog), json };
}

/** Manifests of bundles without image, each list as the bytes it is stored as. */
function inlineManifests({ bundles }: Catalog): Uint8Array[] {
  const inline = bundles.filter(({ image, objects }) => image === '' && objects.length > 0);
  return inline.map(({ objects }) => manifestBytes(objects));
}

export const manifestBytes = (objects: unknown): Uint8Array => new TextEncoder().encode(canonicalJson(objects));

const inlineDigest = (bundle: CatalogBundle): string => `sha256:${canonicalHash(bundle.objects)}`;
