import type { ClassicPreview } from './classic-preview.js';

/** A path as it was planned once. */
type KnownPath = Pick<Extract<ClassicPreview, { hops: unknown }>, 'hops' | 'ends'>;
type Held = Readonly<{ answer: string; path: KnownPath; bytes: number }>;

/** Size of the plans as JSON. */
const MOST_BYTES = 16 * 2 ** 20;

/**
 * Paths by the hash of their problem. Equal problems with equal answers have equal plans in every cluster, as
 * long as the images of their bundles never change. The least recently used ones leave first.
 */
export class KnownPaths {
  readonly #held = new Map<string, Held>();
  #bytes = 0;

  /** Finds the path of a problem. `answer`: the solution as canonical JSON that the path was made from. */
  find(hash: string, answer: string): KnownPath | undefined {
    const held = this.#held.get(hash);
    if (held === undefined || held.answer !== answer) return undefined;
    this.#held.delete(hash);
    this.#held.set(hash, held);
    return held.path;
  }

  keep(hash: string, answer: string, path: KnownPath): void {
    this.#forget(hash);
    const bytes = Buffer.byteLength(JSON.stringify(path)) + Buffer.byteLength(answer);
    if (bytes > MOST_BYTES) return;
    this.#held.set(hash, { answer, path, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#forget(oldest);
    }
  }

  #forget(hash: string): void {
    this.#bytes -= this.#held.get(hash)?.bytes ?? 0;
    this.#held.delete(hash);
  }
}
