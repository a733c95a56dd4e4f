import type { Redis } from 'ioredis';
import { z } from 'zod';
import { HistoryEntry } from '#core/view/rows/history-entry';
import { HubRow } from '#core/view/rows/hub-row';
import { FleetRolloutRow } from '#core/view/rows/rollout-row';
import { ViewRow } from '#core/view/rows/rows';
import { BoundedConnection } from '../redis/bounded-connection.js';
import { RedisScript } from '../redis/redis-script.js';
import { boundedHash } from './bounded-hash.js';
import { parsedValue } from './parsed-value.js';
import { LONGEST_HISTORY, viewKeys } from './view-keys.js';
import type { ClusterRowChange, ViewChanges, ViewContent, ViewReader } from './view-store.port.js';

const CLUSTERS_AT_ONCE = 50;
const CHANGES_AT_ONCE = 5_000;
const ORIGIN = '0-0';
const ROLLOUTS = z.array(FleetRolloutRow);

/** `a` before `b`, as ids of stream entries: `MILLISECONDS-NUMBER`. */
function isBefore(a: string, b: string): boolean {
  const [[ms = 0, number = 0], [otherMs = 0, otherNumber = 0]] = [a, b].map((id) => id.split('-').map(Number)) as [
    number[],
    number[],
  ];
  return ms < otherMs || (ms === otherMs && number < otherNumber);
}

type Entry = [id: string, fields: string[]];

/** The id of the first or, by ARGV[2], the last entry of stream ARGV[1]: the entry may be long. */
const ID_AT = new RedisScript(`
local entry
if ARGV[2] == 'last' then entry = redis.call('XREVRANGE', ARGV[1], '+', '-', 'COUNT', 1)[1]
else entry = redis.call('XRANGE', ARGV[1], '-', '+', 'COUNT', 1)[1] end
return entry and entry[1]`);

/** Reads the read model from Redis. Waits for changes on a connection of its own. */
export class RedisViewReader implements ViewReader {
  readonly #keys: ReturnType<typeof viewKeys>;
  readonly #waiting: BoundedConnection;

  constructor(
    private readonly redis: Redis,
    prefix: string,
  ) {
    this.#keys = viewKeys(prefix);
    this.#waiting = new BoundedConnection(redis);
  }

  close(): void {
    this.#waiting.disconnect();
  }

  async load(): Promise<ViewContent> {
    const { redis } = this;
    const keys = this.#keys;
    // Read this first: changes during the read of rows come again as changes.
    const last = await this.#idAt('last');
    const epoch = (await redis.get(keys.epoch)) ?? '';
    const clusters = await redis.smembers(keys.clusters);
    const rows: ViewRow[] = [];
    for (let at = 0; at < clusters.length; at += CLUSTERS_AT_ONCE) {
      const pipeline = redis.pipeline();
      for (const cluster of clusters.slice(at, at + CLUSTERS_AT_ONCE)) pipeline.hvals(keys.rows(cluster));
      for (const [error, values] of (await pipeline.exec()) ?? []) {
        if (error !== null) throw error;
        for (const text of values as string[]) rows.push(...parsedValue(ViewRow, text));
      }
    }
    return { epoch, place: last ?? ORIGIN, rows };
  }

  async changesAfter(epoch: string, place: string, waitMs: number): Promise<ViewChanges | 'lost'> {
    const keys = this.#keys;
    const read = await this.#waiting.read((connection) =>
      connection.xread('COUNT', CHANGES_AT_ONCE, 'BLOCK', waitMs, 'STREAMS', keys.stream, place),
    );
    if (read === undefined) return 'lost';
    if (((await this.redis.get(keys.epoch)) ?? '') !== epoch || (await this.#isForgotten(place))) return 'lost';
    const entries = (read.answer?.[0]?.[1] ?? []) as Entry[];
    return { place: entries.at(-1)?.[0] ?? place, changes: await this.#changes(entries) };
  }

  async hub(): Promise<readonly HubRow[]> {
    const all = await boundedHash(this.redis, this.#keys.hub);
    return all.flatMap(([, text]) => parsedValue(HubRow, text));
  }

  async rollouts(): Promise<readonly FleetRolloutRow[]> {
    return parsedValue(ROLLOUTS, await this.redis.get(this.#keys.rollouts))[0] ?? [];
  }

  async history(): Promise<Readonly<{ entries: readonly HistoryEntry[]; knownSince: string }>> {
    const { history, historySince } = this.#keys;
    const [values, since] = await Promise.all([
      this.redis.lrange(history, 0, LONGEST_HISTORY - 1),
      this.redis.get(historySince),
    ]);
    const entries = values.flatMap((text) => parsedValue(HistoryEntry, text));
    // A full list may have had older entries. These are gone.
    const oldest = values.length < LONGEST_HISTORY ? undefined : entries.at(-1)?.at;
    return { entries, knownSince: oldest ?? since ?? '' };
  }

  /** True if entries after the place may have been dropped from the stream. */
  async #isForgotten(place: string): Promise<boolean> {
    const first = await this.#idAt('first');
    if (first === undefined) return place !== ORIGIN;
    return place === ORIGIN ? false : isBefore(place, first);
  }

  async #idAt(end: 'first' | 'last'): Promise<string | undefined> {
    return ((await ID_AT.run(this.redis, [], this.#keys.stream, end)) as string | null) ?? undefined;
  }

  async #changes(entries: readonly Entry[]): Promise<ClusterRowChange[]> {
    const ids = new Map<string, Set<string>>();
    for (const [, fields] of entries) {
      const values = Object.fromEntries(fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1]]] : [])));
      const { cluster = '', id = '' } = values as Readonly<Record<string, string>>;
      ids.set(cluster, (ids.get(cluster) ?? new Set()).add(id));
    }
    return Promise.all([...ids].map(([cluster, changed]) => this.#change(cluster, [...changed])));
  }

  async #change(cluster: string, ids: readonly string[]): Promise<ClusterRowChange> {
    const values = await this.redis.hmget(this.#keys.rows(cluster), ...ids);
    return {
      cluster,
      changed: values.flatMap((text) => parsedValue(ViewRow, text)),
      removed: ids.filter((_, at) => (values[at] ?? null) === null),
    };
  }
}
