import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { ViewRow } from '#core/fleet/view/rows';
import { RedisScript } from '../redis/redis-script.js';
import { parsedValue } from './parsed-value.js';
import { viewKeys } from './view-keys.js';
import type { ClusterRowChange, ViewWriter } from './view-store.port.js';

/** Rows that one run of the script writes: Redis does nothing else meanwhile. */
const ROWS_AT_ONCE = 250;
const LONGEST_STREAM = 50_000;

/**
 * KEYS: epoch, clusters, rows of the cluster, stream. ARGV: an epoch where there is none, the cluster, the
 * longest stream, the number of rows that changed, their ids and JSON in turn, the ids of rows that are gone.
 * The epoch is there before the first row, and each row is written with its entry in the stream.
 */
const WRITE = new RedisScript(`
redis.call('SET', KEYS[1], ARGV[1], 'NX')
local cluster, longest, changed = ARGV[2], ARGV[3], tonumber(ARGV[4])
local function tell(id) redis.call('XADD', KEYS[4], 'MAXLEN', '~', longest, '*', 'cluster', cluster, 'id', id) end
for i = 5, 4 + 2 * changed, 2 do
  redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
  tell(ARGV[i])
end
for i = 5 + 2 * changed, #ARGV do
  if redis.call('HDEL', KEYS[3], ARGV[i]) == 1 then tell(ARGV[i]) end
end
if redis.call('EXISTS', KEYS[3]) == 1 then redis.call('SADD', KEYS[2], cluster)
else redis.call('SREM', KEYS[2], cluster) end`);

/** Writes the read model to Redis. */
export class RedisViewWriter implements ViewWriter {
  readonly #keys: ReturnType<typeof viewKeys>;

  constructor(
    private readonly redis: Redis,
    prefix: string,
  ) {
    this.#keys = viewKeys(prefix);
  }

  async rowsOf(cluster: string): Promise<readonly ViewRow[]> {
    const values = await this.redis.hvals(this.#keys.rows(cluster));
    return values.flatMap((text) => parsedValue(ViewRow, text));
  }

  async idsOf(cluster: string): Promise<readonly string[]> {
    return this.redis.hkeys(this.#keys.rows(cluster));
  }

  clusters(): Promise<readonly string[]> {
    return this.redis.smembers(this.#keys.clusters);
  }

  async write({ cluster, changed, removed }: ClusterRowChange): Promise<void> {
    const { epoch, clusters, rows, stream } = this.#keys;
    const keys = [epoch, clusters, rows(cluster), stream];
    for (let at = 0; at < Math.max(changed.length, removed.length); at += ROWS_AT_ONCE) {
      const some = changed.slice(at, at + ROWS_AT_ONCE);
      const texts = some.flatMap((row) => [row.id, JSON.stringify(row)]);
      const gone = removed.slice(at, at + ROWS_AT_ONCE);
      await WRITE.run(this.redis, keys, randomUUID(), cluster, LONGEST_STREAM, some.length, ...texts, ...gone);
    }
  }
}
