import { Module } from '@nestjs/common';
import { ExtensionSolver } from '#lifecycle/solve/extension-solver';
import { NamespaceSolver } from '#lifecycle/solve/namespace-solver';
import { SolveProblem } from '#lifecycle/solve/solve-problem';
import { SolveProblems } from '#lifecycle/solve/solve-problems';
import { SolverPool } from '#lifecycle/solve/solver-pool';
import type { Hub } from '#platform/hub/hub';
import { HUB } from '#platform/hub/hub-tokens';
import type { ExtensionProblems, NamespaceProblems } from '#platform/store/problem-store.port';
import { RecordCache } from '#platform/store/record-cache';
import { ResolveProcessor } from './resolve.processor.js';

function solverPoolOf({ settings, metrics: { lanes } }: Hub): SolverPool {
  const { resolveConcurrency: size, solveDeadline, solveFirstDeadline: firstMs } = settings;
  return new SolverPool(size, solveDeadline, undefined, undefined, {
    first: lanes.limiter('solve', { total: size, perCluster: size, perNamespace: 1 }),
    slow: lanes.limiter('solve-slow', { total: 1, perCluster: 1, perNamespace: 1 }),
    firstMs,
  });
}

function solveProblemsOf(hub: Hub, pool: SolverPool): SolveProblems {
  const { problems, extensionProblems, settings, queues, log, metrics, tracer } = hub;
  const { solved } = queues;
  return new SolveProblems({
    namespaces: new SolveProblem<NamespaceProblems>({
      store: problems,
      solver: new NamespaceSolver(new RecordCache(problems, settings.recordCacheBytes), pool),
      solved,
      log,
      tracer,
      onSolved: (outcome, seconds) => {
        metrics.resolved(outcome, seconds);
        metrics.stages.took('solve', seconds);
      },
    }),
    extensions: new SolveProblem<ExtensionProblems>({
      store: extensionProblems,
      solver: new ExtensionSolver(extensionProblems),
      solved,
      log,
      tracer,
      onSolved: (outcome, seconds) => {
        metrics.extensions.resolved(outcome, seconds);
        metrics.stages.took('solve', seconds);
      },
    }),
  });
}

/** Wiring only. */
@Module({
  providers: [
    { provide: SolverPool, inject: [HUB], useFactory: solverPoolOf },
    { provide: SolveProblems, inject: [HUB, SolverPool], useFactory: solveProblemsOf },
    ResolveProcessor,
  ],
})
export class ResolverWorkerModule {}
