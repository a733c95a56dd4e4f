import type { PackageRecord } from '#core/catalog/model/package-record';
import type { Resolution, ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { Demand } from '#platform/fairness/demand';
import type { NamespaceProblems } from '#platform/store/problem-store.port';
import type { RecordCache } from '#platform/store/record-cache';
import { NAMESPACE_RULES } from '../engine/publishing/problem-families.js';
import type { Solve, SolveReport, Solver } from './solver.js';
import type { SolverPool } from './solver-pool.js';

/** Solves the problems of namespaces (OLM Classic) in the threads of a pool. */
export class NamespaceSolver implements Solver<NamespaceProblems> {
  readonly rules = NAMESPACE_RULES;

  constructor(
    private readonly records: Pick<RecordCache, 'get'>,
    private readonly pool: Pick<SolverPool, 'solve' | 'deadlineMs'>,
  ) {}

  get deadlineMs(): number {
    return this.pool.deadlineMs;
  }

  async prepare(problem: ResolutionProblem): Promise<Solve<NamespaceProblems> | undefined> {
    const records = new Map<string, PackageRecord>();
    for (const hash of this.rules.recordsOf(problem)) {
      const record = await this.records.get(hash);
      if (record === undefined) return undefined;
      records.set(hash, record);
    }
    const { namespace } = problem.wishes;
    return (owner) => this.pool.solve({ problem, records }, Demand.of(owner ?? { cluster: '', namespace }));
  }

  report({ wishes: { namespace } }: ResolutionProblem, { result }: Resolution): SolveReport {
    const outcome = result === 'resolved' ? 'succeeded' : 'failed';
    return { outcome, text: 'problem solved', fields: { namespace, result } };
  }
}
