import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { InMemoryRegistry } from '#testing/registry/in-memory-registry';
import { type BesideFile, objectOf, plainLayers, utf8 } from '../bundles/bundle-draft.js';
import { bundleFiles, catalogBlobs, imageLabels, manifestsInOrder } from '../bundles/bundle-files.js';
import { blobsOf, type CatalogDraft, catalogFiles } from '../catalogs/catalog-draft.js';
import type { CorpusCase } from '../corpus-case.js';
import { madeImage, putImage, writeLayout } from '../images/made-image.js';

const CATALOG_LABELS = { 'operators.operatorframework.io.index.configs.v1': '/configs' };

/** The places of files and images of cases. */
export class CaseFiles {
  constructor(
    private readonly folder: string,
    private readonly registry: InMemoryRegistry,
  ) {}

  path({ draft }: CorpusCase, ...parts: readonly string[]): string {
    return join(this.folder, draft.key, ...parts);
  }

  /** The bundle and the catalog of a case as a directory, an image of the registry or a layout. */
  async write(one: CorpusCase): Promise<void> {
    const { draft, catalog } = one;
    const files = bundleFiles(draft);
    const image = madeImage(files, imageLabels(draft), draft.layers);
    putImage(this.registry, `bundles/${draft.key}:v1`, image);
    if (catalog !== undefined) return this.#writeCatalog(one, catalog);
    if (draft.asked === 'layout') await writeLayout(this.path(one, 'layout'), image);
    if (draft.asked === 'directory') await this.#writeAll(one, 'bundle', files);
    await this.#writeAll(one, 'catalog', [{ path: 'catalog.json', bytes: this.offer(one) }]);
  }

  /** Returns the reference for `bundle validate` and `catalog render`. */
  bundleReference(one: CorpusCase): string {
    switch (one.draft.asked) {
      case 'directory':
        return this.path(one, 'bundle');
      case 'image':
        return this.bundleImage(one);
      case 'layout':
        return `oci:${this.path(one, 'layout')}:v1`;
    }
  }

  /** Returns the reference for `catalog validate` and `plan`. */
  catalogReference(one: CorpusCase): string {
    return one.catalog === undefined ? this.path(one, 'catalog') : this.catalogImage(one);
  }

  bundleImage = ({ draft }: CorpusCase): string => `${this.registry.host}/bundles/${draft.key}:v1`;
  catalogImage = ({ draft }: CorpusCase): string => `${this.registry.host}/catalogs/${draft.key}:v1`;

  /** The package of a case for a catalog that has those of others, too. */
  offer(one: CorpusCase): Uint8Array {
    const { draft } = one;
    const inline = draft.delivery === 'inline';
    const objects = inline
      ? manifestsInOrder(draft).map((file) => objectOf({ ...file, becomes: () => file.tree }))
      : [];
    const blobs = catalogBlobs(draft, inline ? '' : this.bundleImage(one), objects);
    return utf8(blobs.map((blob) => JSON.stringify(blob)).join('\n'));
  }

  /** Puts a catalog with the packages of these cases into the registry; answers its reference. */
  offerAll(name: string, cases: readonly CorpusCase[]): string {
    const files = cases.map((one) => ({ path: `configs/${one.draft.key}/catalog.json`, bytes: this.offer(one) }));
    putImage(this.registry, `catalogs/${name}`, madeImage(files, CATALOG_LABELS, plainLayers()));
    return `${this.registry.host}/catalogs/${name}`;
  }

  async #writeCatalog(one: CorpusCase, catalog: CatalogDraft): Promise<void> {
    if (one.draft.delivery === 'image')
      for (const blob of blobsOf(catalog, 'olm.bundle')) blob['image'] = this.bundleImage(one);
    const image = madeImage(catalogFiles(catalog), CATALOG_LABELS, catalog.layers);
    putImage(this.registry, `catalogs/${one.draft.key}:v1`, image);
  }

  async #writeAll(one: CorpusCase, folder: string, files: readonly BesideFile[]): Promise<void> {
    for (const { path, bytes } of files) await writeTo(this.path(one, folder, path), bytes);
  }
}

export async function writeTo(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
}
