import { isAbsolute, resolve } from 'node:path';
import type { Catalog } from '#core/catalog/model/catalog';
import type { CatalogIndex } from '#core/classic/resolution/problem/catalog-slice';
import { loadReference } from '../inputs/load-reference.js';
import { UsageError } from '../terminal/io.js';
import { indexOf } from './resolve-offline.js';

/** The catalog behind a reference; a bundle is none. */
export async function catalogAt(reference: string): Promise<Catalog> {
  const loaded = await loadReference(reference);
  if (loaded.kind === 'catalog') return loaded.catalog;
  throw new UsageError(
    `${reference}: is a bundle, not a catalog; "flotilla catalog render" makes catalog blobs of bundles`,
  );
}

/** Catalogs of cases that name them by path: each is read and indexed once, and the last few are kept. */
export class CatalogShelf {
  readonly #kept = new Map<string, CatalogIndex>();

  /** `path` comes from a case, that is from outside: it stays below `folder`. */
  async index(folder: string, path: string): Promise<CatalogIndex> {
    if (path === '' || isAbsolute(path) || path.split(/[\\/]/).includes('..')) {
      throw new UsageError(`catalog path "${path}" leads out of ${folder}; name a path inside the folder`);
    }
    const full = resolve(folder, path);
    const found = this.#kept.get(full) ?? indexOf(await catalogAt(full));
    this.#kept.delete(full);
    this.#kept.set(full, found);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return found;
  }
}

const MAX_KEPT = 8;
