import type { Redis } from 'ioredis';
import { observationFreshness } from '#core/cluster/observation/observation-freshness';
import type { HubKey } from '../keys/hub-key.js';
import type { SeenVersions } from '../kube/cache/seen-versions.js';
import { RedisScript } from '../redis/redis-script.js';
import type { Observation } from './problem-store.port.js';
import { RecentValues } from './recent-values.js';
import { RenewedKeys } from './renewed-keys.js';

/**
 * Kinds of refused values: the authentication code is wrong (`observation`, `seen`), or it is an older one
 * written again.
 */
type RefusedObservation = 'observation' | 'seen' | 'replayed-observation';

export type RedisObservationsOptions = Readonly<{
  prefix: string;
  ttlSeconds: number;
  key: HubKey | undefined;
  /** Age after which an observation is made again before it is acted on. */
  maxAgeMs: number;
  now: () => number;
  onRefused: (cluster: string, what: RefusedObservation, count: number) => void;
}>;

type WrittenObservation = Readonly<{ problem: string; text: string }>;

/** An observation as it was written; `key` has `text` until it is replaced, and `demanded` is not there. */
type KeptObservation = Readonly<{ key: string; text: string; demanded: string }>;

/**
 * Name of the form of observations. It changes with their form: values of older releases are then not found.
 */
const OBSERVATION = 'observation-v3';
const DEMANDED = 'observe-from';
const SEEN = 'seen-v2';
/** A watch that is behind by more has long been found to be broken. */
const SEEN_SECONDS = 3_600;
const DEMANDED_SECONDS = 600;
/** Most bytes read of a value: the longest that is written has a hash, a time and a code. */
const LONGEST_VALUE = 255;
const MOST_ACCEPTED = 100_000;
/** Age after which an unchanged observation is written again, with its new time. */
const KEPT_MS = 60_000;
/** Shortest time between two renewals of the time to live of seen versions. */
const SEEN_RENEWED_MS = 300_000;

/** The versions of the kinds in ARGV[2…], a blank for one that is longer than ARGV[1]. KEYS: seen. */
const READ_SEEN = new RedisScript(`
local found = redis.call('HMGET', KEYS[1], unpack(ARGV, 2))
for i, value in ipairs(found) do
  if value and #value > tonumber(ARGV[1]) then found[i] = ' ' end
end
return found`);

/**
 * Data that the poller passes to the applier: the problem of a namespace, and the versions seen of it. Each
 * value has a code over its place and its content that only poller and applier can make. An observation
 * carries its time, so that an older one that is written again is refused.
 */
export class RedisObservations {
  /** The times of the newest observations that were taken, the least recently read first. */
  readonly #accepted = new Map<string, number>();
  /** Values that this process wrote lately, by place. */
  readonly #written: RecentValues<WrittenObservation>;
  readonly #seenRenewed: RenewedKeys;

  constructor(
    private readonly redis: Redis,
    private readonly options: RedisObservationsOptions,
  ) {
    this.#written = new RecentValues({ keptMs: KEPT_MS, now: options.now });
    this.#seenRenewed = new RenewedKeys({ everyMs: SEEN_RENEWED_MS, now: options.now });
  }

  /**
   * Stores the observation. Its time is the clock's, and never earlier than that of the observation before,
   * nor than an applier demands. Returns true if another problem was observed before, or none.
   */
  async put(cluster: string, namespace: string, { problem }: Observation): Promise<boolean> {
    const place = `${cluster}/${namespace}`;
    const [before, demanded] = await Promise.all([
      this.#read(OBSERVATION, place, (value) => this.#signed('observation', cluster, namespace, value)),
      this.#read(DEMANDED, place, (value) => this.#signed('observe-from', cluster, namespace, value)),
    ]);
    const earlier = [before.value?.split(' ')[1], demanded.value].map(Number).filter(Number.isSafeInteger);
    const value = `${problem} ${Math.max(this.options.now(), ...earlier)}`;
    const code = this.#hubKey.codeOf(this.#signed('observation', cluster, namespace, value));
    const text = `${value} ${code}`;
    await this.redis.set(this.#name(OBSERVATION, place), text, 'EX', this.options.ttlSeconds);
    this.#written.set(place, { problem, text });
    return before.value?.split(' ')[0] !== problem;
  }

  /**
   * The observation that this process wrote lately, if it has this problem, with the keys of Redis that show
   * whether it is still there.
   */
  written(cluster: string, namespace: string, problem: string): KeptObservation | undefined {
    const place = `${cluster}/${namespace}`;
    const written = this.#written.get(place);
    if (written?.problem !== problem) return undefined;
    return { key: this.#name(OBSERVATION, place), text: written.text, demanded: this.#name(DEMANDED, place) };
  }

  /**
   * Returns the observation. Returns undefined also if the code is wrong or the observation is too old: the
   * applier then has the namespace observed again.
   */
  async get(cluster: string, namespace: string): Promise<Observation | undefined> {
    const place = `${cluster}/${namespace}`;
    const read = await this.#read(OBSERVATION, place, (value) =>
      this.#signed('observation', cluster, namespace, value),
    );
    if (read.value === undefined) {
      if (read.there) this.options.onRefused(cluster, 'observation', 1);
      return undefined;
    }
    const [problem = '', time = ''] = read.value.split(' ');
    const { now, maxAgeMs } = this.options;
    const times = { observedMs: Number(time), acceptedMs: this.#accepted.get(place), nowMs: now(), maxAgeMs };
    const freshness = observationFreshness(times);
    if (freshness.fresh) {
      this.#accept(place, times.observedMs);
      return { problem };
    }
    if (freshness.why === 'replayed') this.options.onRefused(cluster, 'replayed-observation', 1);
    await this.#demand(cluster, namespace, freshness.atLeastMs);
    return undefined;
  }

  async #demand(cluster: string, namespace: string, atLeastMs: number): Promise<void> {
    const code = this.#hubKey.codeOf(this.#signed('observe-from', cluster, namespace, String(atLeastMs)));
    const name = this.#name(DEMANDED, `${cluster}/${namespace}`);
    await this.redis.set(name, `${atLeastMs} ${code}`, 'EX', DEMANDED_SECONDS);
  }

  #accept(place: string, observedMs: number): void {
    this.#accepted.delete(place);
    this.#accepted.set(place, observedMs);
    const [oldest] = this.#accepted.keys();
    if (this.#accepted.size > MOST_ACCEPTED && oldest !== undefined) this.#accepted.delete(oldest);
  }

  async putSeen(cluster: string, namespace: string, seen: SeenVersions): Promise<void> {
    const key = this.#name(SEEN, `${cluster}/${namespace}`);
    const entries = Object.entries(seen).map(([kind, version]) => {
      const code = this.#hubKey.codeOf(this.#signed('seen', cluster, namespace, `${kind} ${version}`));
      return [kind, `${version} ${code}`] as const;
    });
    if (entries.length === 0) return;
    const added = await this.redis.hset(key, Object.fromEntries(entries));
    // Nothing was added: the key has not been emptied since its time to live was given.
    if (added === 0 && !this.#seenRenewed.isDue(key)) return;
    await this.redis.expire(key, SEEN_SECONDS);
    this.#seenRenewed.note(key);
  }

  /** The stored versions of these kinds. Those with a wrong authentication code are removed. */
  async getSeen(cluster: string, namespace: string, kinds: readonly string[]): Promise<SeenVersions> {
    const key = this.#name(SEEN, `${cluster}/${namespace}`);
    const found: unknown = await READ_SEEN.run(this.redis, [key], LONGEST_VALUE, ...kinds);
    const texts: readonly unknown[] = Array.isArray(found) ? found : [];
    const seen: Record<string, string> = {};
    const forged: string[] = [];
    for (const [index, kind] of kinds.entries()) {
      const text = texts[index];
      if (typeof text !== 'string') continue;
      const version = this.#verified(text, (value) => this.#signed('seen', cluster, namespace, `${kind} ${value}`));
      if (version === undefined) forged.push(kind);
      else seen[kind] = version;
    }
    if (forged.length > 0) {
      this.options.onRefused(cluster, 'seen', forged.length);
      await this.redis.hdel(key, ...forged);
    }
    return seen;
  }

  async #read(
    kind: string,
    place: string,
    signed: (value: string) => readonly string[],
  ): Promise<Readonly<{ there: boolean; value: string | undefined }>> {
    const text = await this.redis.getrange(this.#name(kind, place), 0, LONGEST_VALUE);
    return { there: text !== '', value: this.#verified(text, signed) };
  }

  /**
   * Returns the content that an authentication code covers: a value of one place cannot be moved to another.
   */
  #signed(what: string, cluster: string, namespace: string, value: string): readonly string[] {
    return [this.options.prefix, what, cluster, namespace, value];
  }

  /** Returns the value of `<value> <code>`. Returns undefined if the code is not that of the value. */
  #verified(text: string, signed: (value: string) => readonly string[]): string | undefined {
    const end = text.lastIndexOf(' ');
    if (end < 0) return undefined;
    const value = text.slice(0, end);
    return this.#hubKey.verifies(text.slice(end + 1), signed(value)) ? value : undefined;
  }

  get #hubKey(): HubKey {
    if (this.options.key === undefined) throw new Error('a process without the key of the hub passes no observations');
    return this.options.key;
  }

  #name(kind: string, place: string): string {
    return `${this.options.prefix}:${kind}:${place}`;
  }
}
