import { loadCatalog } from '#core/catalog/load/load-catalog';
import { CatalogLoadError } from '#core/catalog/model/catalog-load.error';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { type ExtensionPackage, extensionPackage } from '#core/v1/extension/extension-problem';
import type { ServedContent } from '#platform/metas/serve-metas';

/** A catalog's part of a package; `record` undefined: the catalog does not have the package. */
type PackageInCatalog =
  | Readonly<{ record: ExtensionPackage; hash: string }>
  | Readonly<{ record: undefined }>
  | Readonly<{ error: string }>;

type Content = ServedContent['content'];

/** Packages that are kept per content; a package that one cluster needs is usually needed by all. */
const MOST_PACKAGES = 500;

/** Packages read from catalogs, each once for all clusters with catalogs that share a content. */
export class CatalogPackages {
  readonly #read = new WeakMap<Content, Map<string, Promise<PackageInCatalog>>>();

  of(content: Content, name: string): Promise<PackageInCatalog> {
    const known = this.#read.get(content) ?? new Map<string, Promise<PackageInCatalog>>();
    this.#read.set(content, known);
    const found = known.get(name);
    if (found !== undefined) return found;
    const reading = readPackage(content, name);
    if (known.size < MOST_PACKAGES) known.set(name, reading);
    reading.catch(() => known.delete(name));
    return reading;
  }
}

/** OLM v1 reads one package at a time: faults of other packages do not matter. */
async function readPackage(content: Content, name: string): Promise<PackageInCatalog> {
  const ranges = [{ schema: 'olm.package', name }, { package: name }].flatMap((query) => content.index.find(query));
  const chunks = await content.readTogether(ranges);
  try {
    const catalog = loadCatalog([{ path: `${name}.json`, bytes: Buffer.concat(chunks) }]);
    const record = extensionPackage(name, catalog);
    return record === undefined ? { record } : { record, hash: canonicalHash(record) };
  } catch (error) {
    if (error instanceof CatalogLoadError) return { error: `error loading package "${name}": ${error.olmText}` };
    throw error;
  }
}
