import { LRUCache } from 'lru-cache';
import { byCodeUnit, canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { Subject } from '#core/kernel/subject/subject';
import type { Clock } from '../clock/clock.port.js';
import { SystemClock } from '../clock/system-clock.js';
import type { SeenVersions } from '../kube/cache/seen-versions.js';
import { DecodedValues } from './decoded-values.js';
import { expiringValues } from './expiring-values.js';
import {
  type NamespaceProblems,
  type Observation,
  type ProblemFamily,
  ProblemStore,
  type PublishedProblem,
} from './problem-store.port.js';
import { encodeValue, parseJson, sha256Hex } from './value-codec.js';

type MemoryProblemStoreOptions = Readonly<{
  clock?: Clock;
  /** Milliseconds until an unused value goes: more than the resync interval. Default: a day. */
  ttlMs?: number;
  /** Largest problem, record or solution as JSON. Default 64 MiB. */
  maxValueBytes?: number;
}>;

/** All values together, packed: far more than the catalogs of one process have. */
const MOST_BYTES = 512 * 2 ** 20;
/** Subjects, and problems that subjects wait for. */
const MOST_SUBJECTS = 200_000;

/** The store within one process. Packs its values: catalogs have many megabytes of records. */
export class MemoryProblemStore<F extends ProblemFamily = NamespaceProblems> extends ProblemStore<F> {
  readonly #values: LRUCache<string, Buffer>;
  readonly #decoded = new DecodedValues();
  readonly #observations;
  readonly #seen;
  readonly #waiters;
  readonly #maxBytes: number;

  constructor({
    clock = new SystemClock(),
    ttlMs = 86_400_000,
    maxValueBytes = 64 * 2 ** 20,
  }: MemoryProblemStoreOptions = {}) {
    super();
    this.#maxBytes = maxValueBytes;
    this.#values = new LRUCache({
      maxSize: MOST_BYTES,
      sizeCalculation: (bytes) => bytes.length,
      ttl: ttlMs,
      updateAgeOnGet: true,
      updateAgeOnHas: true,
      ttlResolution: 0,
      perf: { now: () => clock.now().getTime() },
    });
    const kept = { clock, ttlMs, untilUnused: true, most: MOST_SUBJECTS };
    this.#observations = expiringValues<Observation>(kept);
    this.#seen = expiringValues<SeenVersions>(kept);
    this.#waiters = expiringValues<Map<string, Subject>>(kept);
  }

  async putProblem(problem: F['problem'], records: ReadonlyMap<string, F['record']>): Promise<string> {
    const text = canonicalJson(problem);
    const hash = sha256Hex(text);
    for (const [record, content] of records) {
      const key = recordKey(record);
      if (!this.#values.has(key)) await this.#put(key, `the record of package ${content.name}`, canonicalJson(content));
    }
    if (!this.#values.has(problemKey(hash))) await this.#put(problemKey(hash), 'the resolution problem', text);
    return hash;
  }

  async getProblem(hash: string): Promise<F['problem'] | undefined> {
    return (await this.#get(problemKey(hash))) as F['problem'] | undefined;
  }

  async getRecord(hash: string): Promise<F['record'] | undefined> {
    return (await this.#get(recordKey(hash))) as F['record'] | undefined;
  }

  async putSolution(hash: string, solution: F['solution']): Promise<void> {
    await this.#put(solutionKey(hash), 'the solution', canonicalJson(solution));
  }

  async dropSolution(hash: string): Promise<void> {
    this.#values.delete(solutionKey(hash));
  }

  async getSolution(hash: string): Promise<F['solution'] | undefined> {
    return (await this.#get(solutionKey(hash))) as F['solution'] | undefined;
  }

  async putObservation(cluster: string, namespace: string, { problem }: Observation): Promise<boolean> {
    const before = this.#observations.get(`${cluster}/${namespace}`);
    this.#observations.set(`${cluster}/${namespace}`, { problem });
    return before?.problem !== problem;
  }

  async getObservation(cluster: string, namespace: string): Promise<Observation | undefined> {
    return this.#observations.get(`${cluster}/${namespace}`);
  }

  async isPublished({ subject, owner, problem, records }: PublishedProblem): Promise<boolean> {
    if (this.#observations.get(`${owner.cluster}/${owner.namespace}`)?.problem !== problem) return false;
    await this.waitFor(problem, subject);
    return [problemKey(problem), solutionKey(problem), ...records.map(recordKey)].every((key) => this.#values.has(key));
  }

  async putSeen(cluster: string, namespace: string, seen: SeenVersions): Promise<void> {
    const key = `${cluster}/${namespace}`;
    this.#seen.set(key, { ...this.#seen.get(key), ...seen });
  }

  async getSeen(cluster: string, namespace: string, kinds: readonly string[]): Promise<SeenVersions> {
    const seen = Object.entries(this.#seen.get(`${cluster}/${namespace}`) ?? {});
    return Object.fromEntries(seen.filter(([kind]) => kinds.includes(kind)));
  }

  async waitFor(hash: string, waiter: Subject): Promise<void> {
    const waiters = this.#waiters.get(hash) ?? new Map<string, Subject>();
    this.#waiters.set(hash, waiters.set(canonicalJson(waiter), waiter));
  }

  async takeWaiters(hash: string): Promise<readonly Subject[]> {
    const waiters = [...(this.#waiters.get(hash) ?? [])];
    return waiters.toSorted(([a], [b]) => byCodeUnit(a, b)).map(([, waiter]) => waiter);
  }

  /** Clears the store, as when Redis is emptied. */
  clear(): void {
    for (const values of [this.#values, this.#observations, this.#seen, this.#waiters]) values.clear();
  }

  async #put(key: string, what: string, text: string): Promise<void> {
    this.#values.set(key, await encodeValue(what, text, this.#maxBytes));
  }

  async #get(key: string): Promise<unknown> {
    const bytes = this.#values.get(key);
    return bytes && parseJson(await this.#decoded.decode(key, bytes, this.#maxBytes));
  }
}

const problemKey = (hash: string): string => `problem ${hash}`;
const recordKey = (hash: string): string => `record ${hash}`;
const solutionKey = (hash: string): string => `solution ${hash}`;
