import type { Redis } from 'ioredis';
import { byCodeUnit, canonicalJson } from '#core/canonical/canonical-json';
import type { HubKey } from '../hub/hub-key.js';
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
  /** Of a process that writes or reads observations; a resolver has none. */
  key?: HubKey;
  /** Called for each value that was not used, since its authentication code is wrong. */
  onForged?: (cluster: string, what: 'observation' | 'seen') => void;
}>;

/** Raise it whenever the same problem may now get another solution: solutions of older releases are then not found. */
const SOLUTION_VERSION = 2;
const TAKEN_SECONDS = 600;
/** Named anew whenever their form changes: values of older releases are then not found. */
const OBSERVATION = 'observation-v2';
const SEEN = 'seen-v2';
/** A watch that is behind by more has long been found to be broken. */
const SEEN_SECONDS = 3_600;

export class RedisProblemStore<F extends ProblemFamily = NamespaceProblems> extends ProblemStore<F> {
  readonly #prefix: string;
  readonly #ttl: number;
  readonly #maxBytes: number;
  readonly #key: HubKey | undefined;
  readonly #onForged: NonNullable<RedisProblemStoreOptions['onForged']>;

  constructor(
    private readonly redis: Redis,
    {
      prefix = 'flotilla',
      ttlSeconds = 86_400,
      maxValueBytes = 64 * 2 ** 20,
      key,
      onForged = () => undefined,
    }: RedisProblemStoreOptions = {},
  ) {
    super();
    this.#key = key;
    this.#onForged = onForged;
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
    // Records first: whoever finds the problem finds them too.
    const missing = [...records].filter((_, index) => recordsHeld[index] !== true);
    for (const [record, content] of missing) {
      const text = canonicalJson(content);
      await this.#put(this.#name('record', record), `the record of package ${content.name}`, text);
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
    const { problem } = observation;
    const code = this.#hubKey.codeOf(this.#signed('observation', cluster, namespace, problem));
    await this.redis.set(this.#name(OBSERVATION, `${cluster}/${namespace}`), `${problem} ${code}`, 'EX', this.#ttl);
  }

  /** Undefined, too, where the code is wrong: the applier then has the namespace observed anew. */
  async getObservation(cluster: string, namespace: string): Promise<Observation | undefined> {
    const text = await this.redis.get(this.#name(OBSERVATION, `${cluster}/${namespace}`));
    if (text === null) return undefined;
    const problem = this.#verified(text, (value) => this.#signed('observation', cluster, namespace, value));
    if (problem === undefined) this.#onForged(cluster, 'observation');
    return problem === undefined ? undefined : { problem };
  }

  async putSeen(cluster: string, namespace: string, seen: SeenVersions): Promise<void> {
    const key = this.#name(SEEN, `${cluster}/${namespace}`);
    const entries = Object.entries(seen).map(([kind, version]) => {
      const code = this.#hubKey.codeOf(this.#signed('seen', cluster, namespace, `${kind} ${version}`));
      return [kind, `${version} ${code}`] as const;
    });
    if (entries.length === 0) return;
    await this.redis.multi().hset(key, Object.fromEntries(entries)).expire(key, SEEN_SECONDS).exec();
  }

  async getSeen(cluster: string, namespace: string): Promise<SeenVersions> {
    const found = await this.redis.hgetall(this.#name(SEEN, `${cluster}/${namespace}`));
    const seen: Record<string, string> = {};
    for (const [kind, text] of Object.entries(found)) {
      const version = this.#verified(text, (value) => this.#signed('seen', cluster, namespace, `${kind} ${value}`));
      if (version === undefined) this.#onForged(cluster, 'seen');
      else seen[kind] = version;
    }
    return seen;
  }

  /** What an authentication code covers: a value of one place cannot be moved to another. */
  #signed(what: string, cluster: string, namespace: string, value: string): readonly string[] {
    return [this.#prefix, what, cluster, namespace, value];
  }

  /** The value of `<value> <code>`; undefined where the code is not that of the value. */
  #verified(text: string, signed: (value: string) => readonly string[]): string | undefined {
    const [value = '', code = '', ...more] = text.split(' ');
    return more.length === 0 && this.#hubKey.verifies(code, signed(value)) ? value : undefined;
  }

  get #hubKey(): HubKey {
    if (this.#key === undefined) throw new Error('a process without the key of the hub passes no observations');
    return this.#key;
  }

  async waitFor(hash: string, { cluster, namespace }: Waiter): Promise<void> {
    const key = this.#name('waiters', hash);
    await this.redis.multi().sadd(key, canonicalJson({ cluster, namespace })).expire(key, this.#ttl).exec();
  }

  async takeWaiters(hash: string): Promise<readonly Waiter[]> {
    const waiting = this.#name('waiters', hash);
    const taken = this.#name('taken', hash);
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

  #name(kind: string, name: string): string {
    return `${this.#prefix}:${kind}:${name}`;
  }

  #solutionKey(hash: string): string {
    return this.#name(`solution-v${SOLUTION_VERSION}`, hash);
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
    const key = this.#name(kind, hash);
    const text = await this.#get(key);
    if (text !== undefined && sha256Hex(text) === hash) return parseJson(text);
    await this.redis.del(key);
    return undefined;
  }
}
