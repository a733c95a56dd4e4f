import type { Clock } from '../../clock/clock.port.js';
import type { PackedObject } from './packed-object.js';

/** Time without a change after which an object is deflated. */
const REST_MS = 5_000;
/** Most objects that wait for that: a long list must not be held as it came. */
const MOST_WAITING = 64;

type Waiting = Readonly<{ object: PackedObject; at: number }>;

/** Deflates the objects of a kind, each once it has not changed for a while. */
export class ObjectsAtRest {
  /** Waiting objects by key, the oldest first. */
  readonly #waiting = new Map<string, Waiting>();
  #cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    /** The object takes so many bytes less now. */
    private readonly onDeflated: (object: PackedObject, savedBytes: number) => void,
  ) {}

  /** The object of this key is now another one. */
  changed(key: string, object: PackedObject): void {
    this.#waiting.delete(key);
    if (!object.isLong) return;
    this.#waiting.set(key, { object, at: this.#now() });
    if (this.#waiting.size > MOST_WAITING) this.#deflate(this.#waiting.size - MOST_WAITING);
    this.#cancel ??= this.clock.after(REST_MS, () => this.#check());
  }

  gone(key: string): void {
    this.#waiting.delete(key);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#waiting.clear();
  }

  #deflate(count: number): void {
    let left = count;
    for (const [key, { object }] of this.#waiting) {
      if (left === 0) return;
      left -= 1;
      this.#waiting.delete(key);
      this.onDeflated(object, object.deflate());
    }
  }

  #check(): void {
    this.#cancel = undefined;
    const now = this.#now();
    const waiting = [...this.#waiting.values()];
    const rested = waiting.findIndex(({ at }) => now - at < REST_MS);
    this.#deflate(rested < 0 ? waiting.length : rested);
    const [next] = this.#waiting.values();
    if (next !== undefined) this.#cancel = this.clock.after(Math.max(next.at + REST_MS - now, 1), () => this.#check());
  }

  #now(): number {
    return this.clock.now().getTime();
  }
}
