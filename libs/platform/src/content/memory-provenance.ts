import type { Digest } from './content-store.port.js';
import { Provenance } from './provenance.port.js';

const KEPT = 10_000;

/** Provenance within one process. */
export class MemoryProvenance extends Provenance {
  readonly #entries = new Set<string>();

  async has(digest: Digest, source: string): Promise<boolean> {
    return this.#entries.has(`${digest} ${source}`);
  }

  async add(digest: Digest, source: string): Promise<void> {
    const [oldest] = this.#entries;
    if (this.#entries.size >= KEPT && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.add(`${digest} ${source}`);
  }
}
