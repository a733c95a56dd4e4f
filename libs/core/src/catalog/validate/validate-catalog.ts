import type { Catalog, CatalogBundle } from '../model/catalog.js';
import type { BlobStart } from '../model/catalog-blob.js';
import { type BlobConsumer, blobsOf, detached } from '../read/blob-consumer.js';
import type { DecodedBlob } from '../read/decode-blob.js';
import { summarizeBundle } from './bundle-summary.js';
import { catalogFindings } from './catalog-findings.js';
import { buildModel, type CatalogModel, type CatalogOutline } from './catalog-model.js';
import type { CatalogProblem } from './catalog-problem.js';
import { applyDeprecations } from './deprecations.js';

/** Validates a catalog as its blobs come by: names, versions and edges are kept, texts are not. */
export class CatalogValidator implements BlobConsumer {
  readonly #packages: CatalogOutline['packages'][number][] = [];
  readonly #channels: CatalogOutline['channels'][number][] = [];
  readonly #bundles: CatalogOutline['bundles'][number][] = [];
  readonly #deprecations: CatalogOutline['deprecations'][number][] = [];
  #brokenBundle = false;

  take(decoded: DecodedBlob): void {
    const start = decoded.start === undefined ? {} : { start: decoded.start };
    switch (decoded.kind) {
      case 'package': {
        const { name, defaultChannel } = decoded.blob;
        this.#packages.push({ ...detached({ name, defaultChannel }), ...start });
        break;
      }
      case 'channel': {
        const { name, package: owner, entries } = decoded.blob;
        this.#channels.push({ ...detached({ name, package: owner, entries }), ...start });
        break;
      }
      case 'bundle':
        this.#takeBundle(decoded.blob, start);
        break;
      case 'deprecation':
        this.#deprecations.push({ ...detached(decoded.blob), ...start });
        break;
      case 'other':
    }
  }

  /**
   * Returns all that opm finds wrong with the blobs taken, in opm's words with advice added. Empty when the
   * catalog is valid (spec: file-based-catalogs.md §3). If a blob cannot be assigned to a package or channel
   * there is exactly one problem, the first. Otherwise there is every finding in every package, in the
   * catalog's own order.
   */
  problems(): CatalogProblem[] {
    const step = linked({
      packages: this.#packages,
      channels: this.#channels,
      bundles: this.#bundles,
      deprecations: this.#deprecations,
    }).next();
    return step.done ? catalogFindings(step.value) : [step.value];
  }

  /**
   * Takes a bundle. Validation ends at the first bundle that is wrong in itself, if not before: later ones
   * are not kept.
   */
  #takeBundle(blob: CatalogBundle, start: Readonly<{ start?: BlobStart }>): void {
    if (this.#brokenBundle) return;
    const summary = summarizeBundle(blob);
    this.#brokenBundle = 'problem' in summary;
    this.#bundles.push({ ...summary, ...start });
  }
}

/** Returns {@link CatalogValidator.problems} of a loaded catalog, with places if it has them. */
export function validateCatalog(catalog: Catalog): CatalogProblem[] {
  const validator = new CatalogValidator();
  for (const decoded of blobsOf(catalog)) {
    const start = catalog.starts?.get(decoded.blob);
    validator.take(start === undefined ? decoded : { ...decoded, start });
  }
  return validator.problems();
}

function* linked(catalog: CatalogOutline): Generator<CatalogProblem, CatalogModel> {
  const model = yield* buildModel(catalog);
  yield* applyDeprecations(model, catalog.deprecations);
  return model;
}
