import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { FleetRolloutRow } from '#core/view/rows/rollout-row';
import { rowHistory } from '#core/view/rows/row-history';
import { ViewRow } from '#core/view/rows/rows';
import { RedisScript } from '../redis/redis-script.js';
import { parsedValue } from './parsed-value.js';
import { LONGEST_HISTORY, viewKeys } from './view-keys.js';
import type { ClusterRowChange, RolloutWriter, ViewWriter } from './view-store.port.js';

/** Rows that one run of the script writes: Redis does nothing else meanwhile. */
const ROWS_AT_ONCE = 250;
const LONGEST_STREAM = 50_000;
const ROLLOUTS_FOR_S = 60;

/**
 * Writes the rows of a cluster. KEYS: epoch, clusters, rows of the cluster, stream, history, since when there
 * is one. ARGV: an epoch if there is none, the cluster, the longest stream, the longest history, a time or
 * nothing, the number of rows that changed, and of their changes; ids and JSON of the rows in turn, the
 * changes, the ids of rows that are gone. The epoch is there before the first row; each row is written with
 * its entry in the stream and with its changes.
 */
const WRITE = new RedisScript(`
redis.call('SET', KEYS[1], ARGV[1], 'NX')
local cluster, longest, changed, told = ARGV[2], ARGV[3], tonumber(ARGV[6]), tonumber(ARGV[7])
if ARGV[5] ~= '' then redis.call('SET', KEYS[6], ARGV[5], 'NX') end
local function tell(id) redis.call('XADD', KEYS[4], 'MAXLEN', '~', longest, '*', 'cluster', cluster, 'id', id) end
for i = 8, 7 + 2 * changed, 2 do
  redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
  tell(ARGV[i])
end
for i = 8 + 2 * changed, 7 + 2 * changed + told do redis.call('LPUSH', KEYS[5], ARGV[i]) end
if told > 0 then redis.call('LTRIM', KEYS[5], 0, ARGV[4] - 1) end
for i = 8 + 2 * changed + told, #ARGV do
  if redis.call('HDEL', KEYS[3], ARGV[i]) == 1 then tell(ARGV[i]) end
end
if redis.call('EXISTS', KEYS[3]) == 1 then redis.call('SADD', KEYS[2], cluster)
else redis.call('SREM', KEYS[2], cluster) end`);

/** Writes the read model to Redis. */
export class RedisViewWriter implements ViewWriter, RolloutWriter {
  readonly #keys: ReturnType<typeof viewKeys>;

  constructor(
    private readonly redis: Redis,
    prefix: string,
  ) {
    this.#keys = viewKeys(prefix);
  }

  /** The rows go if no poller writes them for a minute. */
  async writeRollouts(rows: readonly FleetRolloutRow[]): Promise<void> {
    await this.redis.set(this.#keys.rollouts, JSON.stringify(rows), 'EX', ROLLOUTS_FOR_S);
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
    const { epoch, clusters, rows, stream, history, historySince } = this.#keys;
    const keys = [epoch, clusters, rows(cluster), stream, history, historySince];
    for (let at = 0; at < Math.max(changed.length, removed.length); at += ROWS_AT_ONCE) {
      const some = changed.slice(at, at + ROWS_AT_ONCE);
      const texts = some.flatMap((row) => [row.id, JSON.stringify(row)]);
      const gone = removed.slice(at, at + ROWS_AT_ONCE);
      const news = await this.#changes(cluster, some);
      const limits = [LONGEST_STREAM, LONGEST_HISTORY, some[0]?.updatedAt ?? ''];
      const counts = [some.length, news.length];
      await WRITE.run(this.redis, keys, randomUUID(), cluster, ...limits, ...counts, ...texts, ...news, ...gone);
    }
  }

  /** Returns the changes by the rows that are about to be written, as JSON of entries of the history. */
  async #changes(cluster: string, rows: readonly ViewRow[]): Promise<readonly string[]> {
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return [];
    const before = await this.redis.hmget(this.#keys.rows(cluster), ...ids);
    return rows.flatMap((row, index) =>
      parsedValue(ViewRow, before[index] ?? '')
        .flatMap((known) => rowHistory(known, row))
        .map((change) => JSON.stringify(change)),
    );
  }
}
