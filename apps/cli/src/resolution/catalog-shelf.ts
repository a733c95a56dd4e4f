import { readFile, stat } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import type { Catalog } from '#core/catalog/catalog';
import { loadCatalog } from '#core/catalog/load-catalog';
import type { CatalogIndex } from '#core/resolution/catalog-slice';
import { readCatalogTree } from '#platform/files/read-tree';
import { UsageError } from '../io.js';
import { indexOf } from './resolve-offline.js';

/** A file-based catalog on disk: a directory, or a single file. */
export async function catalogOnDisk(path: string): Promise<Catalog> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) throw new UsageError(`${path}: no such file or directory; name a catalog directory or file`);
  const files = stats.isDirectory()
    ? await readCatalogTree(path)
    : [{ path: basename(path), bytes: await readFile(path) }];
  return loadCatalog(files);
}

/** Catalogs of cases that name them by path: each is read and indexed once, and the last few are kept. */
export class CatalogShelf {
  readonly #kept = new Map<string, CatalogIndex>();

  /** `path` comes from a case, that is from outside: it stays below `folder`. */
  async index(folder: string, path: string): Promise<CatalogIndex> {
    if (path === '' || isAbsolute(path) || path.split(/[\\/]/).includes('..')) {
      throw new UsageError(`catalog path "${path}" leads out of ${folder}; name one below it`);
    }
    const full = resolve(folder, path);
    const found = this.#kept.get(full) ?? indexOf(await catalogOnDisk(full));
    this.#kept.delete(full);
    this.#kept.set(full, found);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return found;
  }
}

const MAX_KEPT = 8;
