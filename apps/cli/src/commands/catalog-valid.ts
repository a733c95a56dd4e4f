import type { Catalog } from '#core/catalog/catalog';
import type { DecodedBlob } from '#core/catalog/read/decode-blob';
import { type Io, UsageError } from '../io.js';
import { problemLine } from './catalog-validate.command.js';

/**
 * A reference's catalog; undefined, with the problems written one a line, where opm would refuse it. `side` stands before
 * each problem where a command reads several catalogs.
 */
export async function validCatalog(reference: string, io: Io, side = ''): Promise<Catalog | undefined> {
  const { validateCatalog } = await import('#core/catalog/validate/validate-catalog');
  const catalog = await loadedCatalog(reference);
  const problems = validateCatalog(catalog);
  for (const problem of problems) io.err(`${side}${problemLine(problem)}`);
  return problems.length === 0 ? catalog : undefined;
}

/** A reference's catalog as it is, valid or not; the lists of its bundles are in the order of opm, which counts in them. */
export async function loadedCatalog(reference: string): Promise<Catalog> {
  const { loadReference } = await import('../reference/load-reference.js');
  const { renderBundle } = await import('#core/catalog/write/render-catalog');
  const loaded = await loadReference(reference);
  if (loaded.kind !== 'catalog') throw notCatalog(reference);
  return { ...loaded.catalog, bundles: loaded.catalog.bundles.map((bundle) => renderBundle(bundle, 'none')) };
}

/** As {@link validCatalog}, read as a stream and without its large texts: enough for who shows names, versions and edges. */
export async function validOutline(reference: string, io: Io): Promise<Catalog | undefined> {
  const { readReference } = await import('../reference/load-reference.js');
  const { LightCatalogCollector } = await import('#core/catalog/light-catalog');
  const { CatalogValidator } = await import('#core/catalog/validate/validate-catalog');
  const { renderBundle } = await import('#core/catalog/write/render-catalog');
  const validator = new CatalogValidator();
  const light = new LightCatalogCollector();
  const both = {
    take: (decoded: DecodedBlob) => {
      const inOrder = decoded.kind === 'bundle' ? renderBundle(decoded.blob, 'none') : undefined;
      validator.take(inOrder ? { kind: 'bundle', blob: inOrder } : decoded);
      light.take(decoded);
    },
  };
  const read = await readReference(reference, both);
  if (read.kind !== 'catalog') throw notCatalog(reference);
  const problems = validator.problems();
  for (const problem of problems) io.err(problemLine(problem));
  return problems.length === 0 ? light.catalog : undefined;
}

const notCatalog = (reference: string): UsageError =>
  new UsageError(`cannot list non-index "${reference}": this is a bundle; name a catalog`);
