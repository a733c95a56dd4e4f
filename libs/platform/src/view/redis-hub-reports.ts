import type { Redis } from 'ioredis';
import { HubRow } from '#core/view/rows/hub-row';
import { boundedHash } from './bounded-hash.js';
import { parsedValue } from './parsed-value.js';
import { viewKeys } from './view-keys.js';
import type { HubReports } from './view-store.port.js';

/** Reports in Redis, for the console's page Hub. */
export class RedisHubReports implements HubReports {
  readonly #key: string;

  constructor(
    private readonly redis: Redis,
    prefix: string,
  ) {
    this.#key = viewKeys(prefix).hub;
  }

  async put(row: HubRow): Promise<void> {
    await this.redis.hset(this.#key, row.instance, JSON.stringify(row));
  }

  async remove(instance: string): Promise<void> {
    await this.redis.hdel(this.#key, instance);
  }

  async forgetBefore(since: Date): Promise<void> {
    const all = await boundedHash(this.redis, this.#key);
    const gone = all
      .filter(([, text]) => parsedValue(HubRow, text).every(({ updatedAt }) => Date.parse(updatedAt) < since.getTime()))
      .map(([instance]) => instance);
    if (gone.length > 0) await this.redis.hdel(this.#key, ...gone);
  }
}
