type Kept<V> = Readonly<{ value: V; setMs: number }>;

/** Values of this process by key, each for a short while after it was set. */
export class RecentValues<V> {
  /** The one that was set first before the others. */
  readonly #kept = new Map<string, Kept<V>>();

  constructor(private readonly options: Readonly<{ keptMs: number; now: () => number }>) {}

  get(key: string): V | undefined {
    const kept = this.#kept.get(key);
    return kept === undefined || this.#isOver(kept) ? undefined : kept.value;
  }

  set(key: string, value: V): void {
    this.#kept.delete(key);
    this.#kept.set(key, { value, setMs: this.options.now() });
    for (const [oldest, kept] of this.#kept) {
      if (!this.#isOver(kept)) return;
      this.#kept.delete(oldest);
    }
  }

  #isOver({ setMs }: Kept<V>): boolean {
    const ago = this.options.now() - setMs;
    return ago < 0 || ago >= this.options.keptMs;
  }
}
