import type { Redis } from 'ioredis';
import { parsedValue } from '../view/parsed-value.js';
import { type AuditTrail, MOST_NAMELESS_ENTRIES, MOST_TRAIL_ENTRIES, TrailEntry } from './audit-trail.port.js';

/** The trail in Redis, in two lists, the newest first. If Redis is emptied, the audit log has the entries. */
export class RedisAuditTrail implements AuditTrail {
  readonly #people: string;
  readonly #nameless: string;

  constructor(
    private readonly redis: Redis,
    prefix: string,
  ) {
    this.#people = `${prefix}:console:trail:people`;
    this.#nameless = `${prefix}:console:trail:nameless`;
  }

  async add(entry: TrailEntry): Promise<void> {
    const [key, most] =
      entry.person === '' ? [this.#nameless, MOST_NAMELESS_ENTRIES] : [this.#people, MOST_TRAIL_ENTRIES];
    await this.redis.lpush(key, JSON.stringify(entry));
    await this.redis.ltrim(key, 0, most - 1);
  }

  async read(): Promise<readonly TrailEntry[]> {
    const lists = await Promise.all([this.#people, this.#nameless].map((key) => this.redis.lrange(key, 0, -1)));
    return lists
      .flat()
      .flatMap((text) => parsedValue(TrailEntry, text))
      .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  }
}
