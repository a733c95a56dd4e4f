import type { Redis } from 'ioredis';
import { byCodeUnit, canonicalJson } from '#core/canonical/canonical-json';
import type { SeenVersions } from '../kube/resource-version.js';
import {
  type NamespaceProblems,
  type Observation,
  type ProblemFamily,
  ProblemStore,
  type Waiter,
} from './problem-store.port.js';
import { decodeValue, encodeValue, parseJson, sha256Hex } from './value-codec.js';

export type RedisProblemStoreOptions = Readonly<{
  /** Before all keys. Default `flotilla`. */
  prefix?: string;
  /** How long what nobody touches is kept, in seconds. Must be longer than the resync interval. Default one day. */
  ttlSeconds?: number;
  /** Of one problem, record or solution as JSON. Default 64 MiB. */
  maxValueBytes?: number;
}>;

/** Raise it whenever the same problem may now get another solution: solutions of older releases are then not found. */
const SOLUTION_VERSION = 2;
const TAKEN_SECONDS = 600;
/** A watch that is behind by more has long been found to be broken. */
const SEEN_SECONDS = 3_600;

export class RedisProblemStore<F extends ProblemFamily = NamespaceProblems> extends ProblemStore<F> {
  readonly #prefix: string;
  readonly #ttl: number;
  readonly #maxBytes: number;

  constructor(
    private readonly redis: Redis,
    { prefix = 'flotilla', ttlSeconds = 86_400, maxValueBytes = 64 * 2 ** 20 }: RedisProblemStoreOptions = {},
  ) {
    super();
    this.#prefix = prefix;
    this.#ttl = ttlSeconds;
    this.#maxBytes = maxValueBytes;
  }

  async putProblem(problem: F['problem'], records: ReadonlyMap<string, F['record']>): Promise<string> {
    const text = canonicalJson(problem);
    const hash = sha256Hex(text);
    const problemKey = this.#key('problem', hash);
    const [problemHeld, ...recordsHeld] = await this.#held([
      problemKey,
      ...[...records.keys()].map((record) => this.#key('record', record)),
    ]);
    // Records first: whoever finds the problem finds them too.
    const missing = [...records].filter((_, index) => recordsHeld[index] !== true);
    for (const [record, content] of missing) {
      const text = canonicalJson(content);
      await this.#put(this.#key('record', record), `the record of package ${content.name}`, text);
    }
    if (problemHeld !== true) await this.#put(problemKey, 'the resolution problem', text);
    return hash;
  }

  /** Which of the keys are there; their time to live starts anew. Most looks at a namespace find all as they left it. */
  async #held(keys: readonly string[]): Promise<boolean[]> {
    const touch = this.redis.pipeline();
    for (const key of keys) touch.expire(key, this.#ttl);
    return ((await touch.exec()) ?? []).map(([, there]) => there === 1);
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

  async putObservation(cluster: string, namespace: string, observation: Observation): Promise<void> {
    await this.redis.set(
      this.#key('observation', `${cluster}/${namespace}`),
      canonicalJson(observation),
      'EX',
      this.#ttl,
    );
  }

  async getObservation(cluster: string, namespace: string): Promise<Observation | undefined> {
    return parseJson(await this.redis.get(this.#key('observation', `${cluster}/${namespace}`))) as
      | Observation
      | undefined;
  }

  async putSeen(cluster: string, namespace: string, seen: SeenVersions): Promise<void> {
    const key = this.#key('seen', `${cluster}/${namespace}`);
    if (Object.keys(seen).length > 0) await this.redis.multi().hset(key, seen).expire(key, SEEN_SECONDS).exec();
  }

  async getSeen(cluster: string, namespace: string): Promise<SeenVersions> {
    return this.redis.hgetall(this.#key('seen', `${cluster}/${namespace}`));
  }

  async waitFor(hash: string, { cluster, namespace }: Waiter): Promise<void> {
    const key = this.#key('waiters', hash);
    await this.redis.multi().sadd(key, canonicalJson({ cluster, namespace })).expire(key, this.#ttl).exec();
  }

  async takeWaiters(hash: string): Promise<readonly Waiter[]> {
    const waiting = this.#key('waiters', hash);
    const taken = this.#key('taken', hash);
    const answers = await this.redis
      .multi()
      .sunionstore(taken, taken, waiting)
      .del(waiting)
      .expire(taken, TAKEN_SECONDS)
      .smembers(taken)
      .exec();
    const members = answers?.at(-1)?.[1];
    const texts = Array.isArray(members) ? members.map(String).toSorted(byCodeUnit) : [];
    return texts.map((text) => JSON.parse(text) as Waiter);
  }

  #key(kind: string, name: string): string {
    return `${this.#prefix}:${kind}:${name}`;
  }

  #solutionKey(hash: string): string {
    return this.#key(`solution-v${SOLUTION_VERSION}`, hash);
  }

  async #put(key: string, what: string, text: string): Promise<void> {
    await this.redis.set(key, await encodeValue(what, text, this.#maxBytes), 'EX', this.#ttl);
  }

  /** Reading is a sign of life: it starts the time to live anew. */
  async #get(key: string): Promise<string | undefined> {
    const bytes = await this.redis.getexBuffer(key, 'EX', this.#ttl);
    return bytes === null ? undefined : decodeValue(bytes, this.#maxBytes);
  }

  /** Undefined, too, where the bytes do not have the hash they are stored under: it is then written again. */
  async #getByHash(kind: 'problem' | 'record', hash: string): Promise<unknown> {
    const key = this.#key(kind, hash);
    const text = await this.#get(key);
    if (text !== undefined && sha256Hex(text) === hash) return parseJson(text);
    await this.redis.del(key);
    return undefined;
  }
}
