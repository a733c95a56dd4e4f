import type { Catalog } from '#core/catalog/model/catalog';
import type { BlobConsumer } from '#core/catalog/read/blob-consumer';
import type { DecodedBlob } from '#core/catalog/read/decode-blob';
import { type Io, UsageError } from '../../../terminal/io.js';
import { problemLine } from './catalog-validate.command.js';

/**
 * Returns a reference's catalog. Returns undefined, with the problems written one a line, if opm would refuse
 * it. If a command reads several catalogs, `side` names this one in each problem.
 */
export async function validCatalog(reference: string, io: Io, side?: string): Promise<Catalog | undefined> {
  const { CatalogCollector } = await import('#core/catalog/load/load-catalog');
  const collector = new CatalogCollector();
  return (await validates(reference, collector, io, side)) ? collector.catalog : undefined;
}

/**
 * Returns a reference's catalog as it is, valid or not. The lists of its bundles are in the order of opm,
 * which counts in them.
 */
export async function loadedCatalog(reference: string): Promise<Catalog> {
  const { loadReference } = await import('../../../inputs/load-reference.js');
  const { renderBundle } = await import('#core/catalog/write/render-catalog');
  const loaded = await loadReference(reference);
  if (loaded.kind !== 'catalog') throw notCatalog(reference);
  return { ...loaded.catalog, bundles: loaded.catalog.bundles.map((bundle) => renderBundle(bundle, 'none')) };
}

/**
 * Returns the catalog as {@link validCatalog} does, read as a stream and without its large texts. That is
 * enough to show names, versions and edges.
 */
export async function validOutline(reference: string, io: Io): Promise<Catalog | undefined> {
  const { LightCatalogCollector } = await import('#core/catalog/load/light-catalog');
  const light = new LightCatalogCollector();
  return (await validates(reference, light, io)) ? light.catalog : undefined;
}

/**
 * Reads a catalog into `collector`, bundles with their lists in the order of opm. Returns false, with
 * problems written, if the catalog is invalid.
 */
async function validates(reference: string, collector: BlobConsumer, io: Io, side?: string): Promise<boolean> {
  const { readReference } = await import('../../../inputs/load-reference.js');
  const { CatalogValidator } = await import('#core/catalog/validate/validate-catalog');
  const { renderBundle } = await import('#core/catalog/write/render-catalog');
  const validator = new CatalogValidator();
  const both = {
    take: (decoded: DecodedBlob) => {
      const inOrder = decoded.kind === 'bundle' ? { ...decoded, blob: renderBundle(decoded.blob, 'none') } : decoded;
      validator.take(inOrder);
      collector.take(inOrder);
    },
  };
  const read = await readReference(reference, both);
  if (read.kind !== 'catalog') throw notCatalog(reference);
  const problems = validator.problems();
  for (const problem of problems) io.err(problemLine(reference, problem, side));
  return problems.length === 0;
}

const notCatalog = (reference: string): UsageError =>
  new UsageError(`cannot list non-index "${reference}": this is a bundle; name a catalog`);
