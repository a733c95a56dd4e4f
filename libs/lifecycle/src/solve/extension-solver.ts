import {
  type ExtensionPackage,
  type ExtensionProblem,
  type ExtensionSolution,
  packageContent,
  solveExtension,
} from '#core/v1/extension/extension-problem';
import type { FeatureGates, PackageContent } from '#core/v1/extension/package-content';
import type { ExtensionProblems, ProblemStore } from '#platform/store/problem-store.port';
import { EXTENSION_RULES } from '../engine/publishing/problem-families.js';
import type { Solve, SolveReport, Solver } from './solver.js';

/** Packages that are kept prepared: a few MiB for the largest. */
const MOST_PREPARED = 200;

/** Chooses the bundles of ClusterExtensions (OLM v1). No thread: it takes a millisecond. */
export class ExtensionSolver implements Solver<ExtensionProblems> {
  readonly rules = EXTENSION_RULES;
  readonly deadlineMs = Number.POSITIVE_INFINITY;
  /** Prepared packages by record hash and feature gates, the least recently used first. */
  readonly #prepared = new Map<string, PackageContent | undefined>();

  constructor(private readonly store: Pick<ProblemStore<ExtensionProblems>, 'getRecord'>) {}

  async prepare(problem: ExtensionProblem): Promise<Solve<ExtensionProblems> | undefined> {
    const contents = new Map<string, PackageContent | undefined>();
    for (const hash of this.rules.recordsOf(problem)) {
      const found = await this.#contentOf(hash, problem.extension.gates ?? {});
      if (found === undefined) return undefined;
      contents.set(hash, found.content);
    }
    return async () => solveExtension(problem, (record) => contents.get(record));
  }

  report({ extension }: ExtensionProblem, { class: result }: ExtensionSolution): SolveReport {
    const outcome = result === 'Resolved' ? 'succeeded' : 'failed';
    return { outcome, text: 'bundle chosen', fields: { package: extension.query.packageName, result } };
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
