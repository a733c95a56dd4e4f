import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { Digest } from './content-store.port.js';
import { Provenance } from './provenance.port.js';

const KEPT = 10_000;
/** Between two counts of the entries. */
const ADDED_BETWEEN_COUNTS = 500;

/**
 * Provenance that outlives the process: one empty file for each digest and source, named by the hash of both.
 * Beyond a fixed number of entries the least recently used ones are removed.
 */
export class DiskProvenance extends Provenance {
  #added = 0;

  constructor(private readonly directory: string) {
    super();
  }

  /** Setting the time of the file says at once whether it exists and that the entry is in use. */
  async has(digest: Digest, source: string): Promise<boolean> {
    const now = new Date();
    return utimes(this.#path(digest, source), now, now).then(
      () => true,
      () => false,
    );
  }

  async add(digest: Digest, source: string): Promise<void> {
    try {
      if (this.#added % ADDED_BETWEEN_COUNTS === 0) await this.#prune();
      this.#added += 1;
      await writeFile(this.#path(digest, source), '', { mode: 0o600 });
    } catch {
      // A full disk costs another pull some day, not this one.
    }
  }

  #path(digest: Digest, source: string): string {
    return join(this.directory, createHash('sha256').update(`${digest} ${source}`).digest('hex'));
  }

  async #prune(): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const names = await readdir(this.directory);
    if (names.length <= KEPT) return;
    const dated = await Promise.all(
      names.map(async (name) => {
        const stats = await stat(join(this.directory, name)).catch(() => undefined);
        return { name, ms: stats?.mtimeMs ?? 0 };
      }),
    );
    const oldestFirst = dated.toSorted((a, b) => a.ms - b.ms || byCodeUnit(a.name, b.name));
    for (const { name } of oldestFirst.slice(0, names.length - KEPT)) {
      await rm(join(this.directory, name), { force: true });
    }
  }
}
