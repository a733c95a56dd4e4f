import { byCodeUnit, canonicalHash, canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { Subject } from '#core/kernel/subject/subject';
import type { SeenVersions } from '../kube/cache/resource-version.js';
import {
  type NamespaceProblems,
  type Observation,
  type ProblemFamily,
  ProblemStore,
  type PublishedProblem,
} from './problem-store.port.js';

/** The store within one process; keeps everything until {@link clear}. */
export class MemoryProblemStore<F extends ProblemFamily = NamespaceProblems> extends ProblemStore<F> {
  readonly #problems = new Map<string, F['problem']>();
  readonly #records = new Map<string, F['record']>();
  readonly #solutions = new Map<string, F['solution']>();
  readonly #observations = new Map<string, Observation>();
  readonly #seen = new Map<string, SeenVersions>();
  readonly #waiters = new Map<string, Map<string, Subject>>();

  async putProblem(problem: F['problem'], records: ReadonlyMap<string, F['record']>): Promise<string> {
    const hash = canonicalHash(problem);
    this.#problems.set(hash, structuredClone(problem));
    for (const [recordHash, record] of records) this.#records.set(recordHash, structuredClone(record));
    return hash;
  }

  async getProblem(hash: string): Promise<F['problem'] | undefined> {
    return structuredClone(this.#problems.get(hash));
  }

  async getRecord(hash: string): Promise<F['record'] | undefined> {
    return structuredClone(this.#records.get(hash));
  }

  async putSolution(hash: string, solution: F['solution']): Promise<void> {
    this.#solutions.set(hash, structuredClone(solution));
  }

  async dropSolution(hash: string): Promise<void> {
    this.#solutions.delete(hash);
  }

  async getSolution(hash: string): Promise<F['solution'] | undefined> {
    return structuredClone(this.#solutions.get(hash));
  }

  async putObservation(cluster: string, namespace: string, observation: Observation): Promise<boolean> {
    const before = this.#observations.get(`${cluster}/${namespace}`);
    this.#observations.set(`${cluster}/${namespace}`, structuredClone(observation));
    return before?.problem !== observation.problem;
  }

  async getObservation(cluster: string, namespace: string): Promise<Observation | undefined> {
    return structuredClone(this.#observations.get(`${cluster}/${namespace}`));
  }

  async isPublished({ subject, owner, problem, records }: PublishedProblem): Promise<boolean> {
    if (this.#observations.get(`${owner.cluster}/${owner.namespace}`)?.problem !== problem) return false;
    await this.waitFor(problem, subject);
    return (
      this.#problems.has(problem) && this.#solutions.has(problem) && records.every((hash) => this.#records.has(hash))
    );
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

  /** As when Redis is emptied. */
  clear(): void {
    const maps = [this.#problems, this.#records, this.#solutions, this.#observations, this.#seen, this.#waiters];
    for (const map of maps) map.clear();
  }
}
