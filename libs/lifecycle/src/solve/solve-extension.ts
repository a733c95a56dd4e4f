import { type ExtensionPackage, packageContent, solveExtension } from '#core/v1/extension/extension-problem';
import type { FeatureGates, PackageContent } from '#core/v1/extension/package-content';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { SolvedJob } from '#platform/queue/jobs';
import type { ExtensionProblems, ProblemStore } from '#platform/store/problem-store.port';
import type { Log } from '#platform/telemetry/log.port';

/** Packages that are kept prepared: a few MiB for the largest. */
const MOST_PREPARED = 200;

/**
 * Chooses the bundle of one stored problem and has the applier enqueue the extensions that wait for it. No
 * thread: it takes a millisecond.
 */
export class SolveExtension {
  /** By record hash and feature gates, the least recently used first. */
  readonly #prepared = new Map<string, PackageContent | undefined>();

  constructor(
    private readonly store: ProblemStore<ExtensionProblems>,
    private readonly solved: JobQueue<SolvedJob>,
    private readonly log: Log,
    /** Called with the outcome and duration of every solve. */
    private readonly onSolved: (outcome: 'succeeded' | 'failed', seconds: number) => void,
  ) {}

  async run(hash: string): Promise<void> {
    if ((await this.store.getSolution(hash)) === undefined) await this.#solve(hash);
    await this.solved.add({ v: 1, problem: hash, extension: true });
  }

  async #solve(hash: string): Promise<void> {
    const begun = performance.now();
    const problem = await this.store.getProblem(hash);
    const records = problem?.catalogs.flatMap(({ record }) => record ?? []) ?? [];
    const contents = new Map<string, PackageContent | undefined>();
    const gates = problem?.extension.gates ?? {};
    for (const record of records) {
      const found = await this.#contentOf(record, gates);
      if (found !== undefined) contents.set(record, found.content);
    }
    if (problem === undefined || records.some((record) => !contents.has(record))) {
      this.log.info({ problem: hash }, 'problem is not in the store any more; the poller will enqueue it again');
      return;
    }
    const solution = solveExtension(problem, (record) => contents.get(record));
    this.onSolved(solution.class === 'Resolved' ? 'succeeded' : 'failed', (performance.now() - begun) / 1_000);
    const { packageName } = problem.extension.query;
    this.log.info({ problem: hash, package: packageName, result: solution.class }, 'bundle chosen');
    await this.store.putSolution(hash, solution);
  }

  async #contentOf(
    hash: string,
    gates: FeatureGates,
  ): Promise<Readonly<{ content: PackageContent | undefined }> | undefined> {
    const key = gates.BundleReleaseSupport === true ? `${hash} BundleReleaseSupport` : hash;
    if (!this.#prepared.has(key)) {
      const record: ExtensionPackage | undefined = await this.store.getRecord(hash);
      if (record === undefined) return undefined;
      this.#prepared.set(key, packageContent(record, gates));
    }
    const content = this.#prepared.get(key);
    this.#prepared.delete(key);
    this.#prepared.set(key, content);
    const [oldest] = this.#prepared.keys();
    if (this.#prepared.size > MOST_PREPARED && oldest !== undefined) this.#prepared.delete(oldest);
    return { content };
  }
}
