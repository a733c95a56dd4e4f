import type { Redis } from 'ioredis';
import { byCodeUnit, canonicalJson } from '#core/kernel/canonical/canonical-json';
import { Subject } from '#core/kernel/subject/subject';
import type { HubKey } from '../keys/hub-key.js';
import type { SeenVersions } from '../kube/cache/seen-versions.js';
import { RedisScript } from '../redis/redis-script.js';
import { DecodedValues } from './decoded-values.js';
import {
  type NamespaceProblems,
  type Observation,
  type ProblemFamily,
  ProblemStore,
  type PublishedProblem,
} from './problem-store.port.js';
import { RedisObservations, type RedisObservationsOptions } from './redis-observations.js';
import { RenewedKeys } from './renewed-keys.js';
import { encodeValue, parseJson, sha256Hex } from './value-codec.js';

export type RedisProblemStoreOptions = Readonly<{
  /** Prefix of all keys. Default `flotilla`. */
  prefix?: string;
  /** How long an unused key is kept, in seconds. Must be longer than the resync interval. Default one day. */
  ttlSeconds?: number;
  /** Largest problem, record or solution as JSON. Default 64 MiB. */
  maxValueBytes?: number;
  /** Key of a process that writes or reads observations. A resolver has none, and removes nothing. */
  key?: HubKey;
  /** Age after which observations are made again before they are acted on. Default one hour. */
  observationMaxAgeMs?: number;
  /** Returns the time of this process in milliseconds. Default: the machine's time. */
  now?: () => number;
  /**
   * Called for values that were not used: their authentication code is wrong, or they are
   * older ones written again.
   */
  onRefused?: RedisObservationsOptions['onRefused'];
}>;

/**
 * Raise it whenever the same problem may now get another solution: solutions of older
 * releases are then not found.
 */
const SOLUTION_VERSION = 2;
const TAKEN_SECONDS = 600;
/**
 * A read renews the time to live once in this part of it: values that were read live for at least the rest.
 */
const PARTS_OF_TTL = 24;
/** Longest waiter, as JSON; the text is a subject. */
const LONGEST_WAITER = 2_048;

/**
 * Most records of a problem that one script asks for; a script takes no more keys than a few thousand. A
 * problem with more records is published again.
 */
const MOST_RECORDS_ASKED = 1_000;

/**
 * Returns 1 if the observation is unchanged and all else is there; the waiter then waits. KEYS: observation,
 * waiters, and all else. ARGV: observation, its length, waiter, seconds.
 */
const IS_PUBLISHED = new RedisScript(`
if redis.call('GETRANGE', KEYS[1], 0, ARGV[2]) ~= ARGV[1] then return 0 end
if redis.call('SADD', KEYS[2], ARGV[3]) == 1 then redis.call('EXPIRE', KEYS[2], ARGV[4]) end
return redis.call('EXISTS', unpack(KEYS, 3)) == #KEYS - 2 and 1 or 0`);

/**
 * Moves the waiters to those that were taken, and answers all of these. KEYS: taken, waiting. ARGV: seconds.
 */
const TAKE_WAITERS = new RedisScript(`
redis.call('SUNIONSTORE', KEYS[1], KEYS[1], KEYS[2])
redis.call('DEL', KEYS[2])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return redis.call('SMEMBERS', KEYS[1])`);

export class RedisProblemStore<F extends ProblemFamily = NamespaceProblems> extends ProblemStore<F> {
  readonly #prefix: string;
  readonly #ttl: number;
  readonly #maxBytes: number;
  /** True without the key: the store then reads values and leaves them unchanged. */
  readonly #readOnly: boolean;
  readonly #observations: RedisObservations;
  readonly #renewed: RenewedKeys;
  readonly #decoded = new DecodedValues();

  constructor(
    private readonly redis: Redis,
    {
      prefix = 'flotilla',
      ttlSeconds = 86_400,
      maxValueBytes = 64 * 2 ** 20,
      key,
      observationMaxAgeMs: maxAgeMs = 3_600_000,
      now = Date.now,
      onRefused = () => undefined,
    }: RedisProblemStoreOptions = {},
  ) {
    super();
    this.#readOnly = key === undefined;
    this.#observations = new RedisObservations(redis, { prefix, ttlSeconds, key, maxAgeMs, now, onRefused });
    this.#renewed = new RenewedKeys({ everyMs: (ttlSeconds * 1_000) / PARTS_OF_TTL, now });
    this.#prefix = prefix;
    this.#ttl = ttlSeconds;
    this.#maxBytes = maxValueBytes;
  }

  async putProblem(problem: F['problem'], records: ReadonlyMap<string, F['record']>): Promise<string> {
    const text = canonicalJson(problem);
    const hash = sha256Hex(text);
    const problemKey = this.#name('problem', hash);
    const [problemHeld, ...recordsHeld] = await this.#held([
      problemKey,
      ...[...records.keys()].map((record) => this.#name('record', record)),
    ]);
    // Records first: a reader that finds the problem finds them too.
    const missing = [...records].filter((_, index) => recordsHeld[index] !== true);
    for (const [record, content] of missing) {
      const text = canonicalJson(content);
      await this.#put(this.#name('record', record), `the record of package ${content.name}`, text);
    }
    if (problemHeld !== true) await this.#put(problemKey, 'the resolution problem', text);
    return hash;
  }

  /**
   * Returns for each key if it exists, and renews the time to live. Most passes over a namespace find all
   * keys unchanged.
   */
  async #held(keys: readonly string[]): Promise<boolean[]> {
    const there = await Promise.all(keys.map((key) => this.redis.expire(key, this.#ttl)));
    return there.map((answer) => answer === 1);
  }

  async getProblem(hash: string): Promise<F['problem'] | undefined> {
    return (await this.#getByHash('problem', hash)) as F['problem'] | undefined;
  }

  async getRecord(hash: string): Promise<F['record'] | undefined> {
    return (await this.#getByHash('record', hash)) as F['record'] | undefined;
  }

  async putSolution(hash: string, solution: F['solution']): Promise<void> {
    await this.#put(this.#solutionKey(hash), 'the solution', canonicalJson(solution));
  }

  async getSolution(hash: string): Promise<F['solution'] | undefined> {
    return parseJson(await this.#get(this.#solutionKey(hash))) as F['solution'] | undefined;
  }

  async dropSolution(hash: string): Promise<void> {
    await this.redis.del(this.#solutionKey(hash));
  }

  putObservation(cluster: string, namespace: string, observation: Observation): Promise<boolean> {
    return this.#observations.put(cluster, namespace, observation);
  }

  getObservation(cluster: string, namespace: string): Promise<Observation | undefined> {
    return this.#observations.get(cluster, namespace);
  }

  async isPublished({ subject, owner, problem, records }: PublishedProblem): Promise<boolean> {
    const written = this.#observations.written(owner.cluster, owner.namespace, problem);
    if (written === undefined || records.length > MOST_RECORDS_ASKED) return false;
    const needed = [
      this.#name('problem', problem),
      this.#solutionKey(problem),
      ...records.map((record) => this.#name('record', record)),
    ];
    const keys = [written.key, this.#name('waiters', problem), ...needed];
    const { text } = written;
    const [isThere, demands] = await Promise.all([
      IS_PUBLISHED.run(this.redis, keys, text, text.length, canonicalJson(subject), this.#ttl),
      // No key of the script: Redis takes scripts to write all their keys, and a poller may only read it.
      this.redis.exists(written.demanded),
    ]);
    return isThere === 1 && demands === 0;
  }

  putSeen(cluster: string, namespace: string, seen: SeenVersions): Promise<void> {
    return this.#observations.putSeen(cluster, namespace, seen);
  }

  getSeen(cluster: string, namespace: string, kinds: readonly string[]): Promise<SeenVersions> {
    return this.#observations.getSeen(cluster, namespace, kinds);
  }

  async waitFor(hash: string, waiter: Subject): Promise<void> {
    const key = this.#name('waiters', hash);
    await Promise.all([this.redis.sadd(key, canonicalJson(waiter)), this.redis.expire(key, this.#ttl)]);
  }

  async takeWaiters(hash: string): Promise<readonly Subject[]> {
    const waiting = this.#name('waiters', hash);
    const taken = this.#name('taken', hash);
    const members = await TAKE_WAITERS.run(this.redis, [taken, waiting], TAKEN_SECONDS);
    const texts = Array.isArray(members) ? members.map(String).toSorted(byCodeUnit) : [];
    return texts.flatMap(
      (text) => Subject.safeParse(text.length > LONGEST_WAITER ? undefined : parseJson(text)).data ?? [],
    );
  }

  #name(kind: string, name: string): string {
    return `${this.#prefix}:${kind}:${name}`;
  }

  #solutionKey(hash: string): string {
    return this.#name(`solution-v${SOLUTION_VERSION}`, hash);
  }

  async #put(key: string, what: string, text: string): Promise<void> {
    await this.redis.set(key, await encodeValue(what, text, this.#maxBytes), 'EX', this.#ttl);
  }

  /**
   * Reads at most the longest value. Reading renews the time to live, except for a resolver, which may not.
   */
  async #get(key: string): Promise<string | undefined> {
    const reading = this.redis.getrangeBuffer(key, 0, this.#maxBytes + 1);
    const [bytes] = await Promise.all([reading, this.#readOnly ? undefined : this.#renew(key)]);
    return bytes.length === 0 ? undefined : this.#decoded.decode(key, bytes, this.#maxBytes);
  }

  async #renew(key: string): Promise<void> {
    if (!this.#renewed.isDue(key)) return;
    if ((await this.redis.expire(key, this.#ttl)) === 1) this.#renewed.note(key);
  }

  /**
   * Reads a value by hash. Returns undefined also if the bytes do not have the hash they are stored under:
   * the value is then written again.
   */
  async #getByHash(kind: 'problem' | 'record', hash: string): Promise<unknown> {
    const key = this.#name(kind, hash);
    const text = await this.#get(key);
    if (text !== undefined && sha256Hex(text) === hash) return parseJson(text);
    if (!this.#readOnly) await this.redis.del(key);
    return undefined;
  }
}
