import type { Clock } from '#platform/clock/clock.port';

type Bucket = { tokens: number; at: number };

/** Requests a second, and how many of them at once after a pause. */
export type RequestRate = Readonly<{ perSecond: number; burst: number }>;

const MOST_KEYS = 10_000;

/** So many requests a second from each key, and a burst; the longest unused key is forgotten first. */
export class RateLimit {
  readonly #buckets = new Map<string, Bucket>();

  constructor(
    private readonly clock: Clock,
    private readonly limit: RequestRate,
  ) {}

  /** Seconds until the next request is taken; 0: this one is. */
  take(key: string): number {
    const { perSecond, burst } = this.limit;
    const now = this.clock.now().getTime();
    const known = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, known.tokens + (Math.max(0, now - known.at) / 1_000) * perSecond);
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_KEYS && oldest !== undefined) this.#buckets.delete(oldest);
    return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  }
}
