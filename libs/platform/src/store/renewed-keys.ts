/** More keys than this are forgotten, the one renewed first before the others. */
const MOST_KEYS = 20_000;

/**
 * Keys whose whole time to live this process renewed a short while ago, so that not each read costs a second
 * command.
 */
export class RenewedKeys {
  readonly #renewedMs = new Map<string, number>();

  constructor(private readonly options: Readonly<{ everyMs: number; now: () => number }>) {}

  isDue(key: string): boolean {
    const renewed = this.#renewedMs.get(key);
    if (renewed === undefined) return true;
    const ago = this.options.now() - renewed;
    return ago < 0 || ago >= this.options.everyMs;
  }

  note(key: string): void {
    this.#renewedMs.delete(key);
    this.#renewedMs.set(key, this.options.now());
    const [oldest] = this.#renewedMs.keys();
    if (this.#renewedMs.size > MOST_KEYS && oldest !== undefined) this.#renewedMs.delete(oldest);
  }
}
