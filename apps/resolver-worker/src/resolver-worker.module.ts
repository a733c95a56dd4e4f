import { Module } from '@nestjs/common';
import { SolveExtension } from '#lifecycle/solve/solve-extension';
import { SolveProblem } from '#lifecycle/solve/solve-problem';
import { SolverPool } from '#lifecycle/solve/solver-pool';
import type { Hub } from '#platform/hub/hub';
import { HUB } from '#platform/hub/hub-tokens';
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

function solveProblemOf({ problems, settings, queues, log, metrics }: Hub, pool: SolverPool): SolveProblem {
  const records = new RecordCache(problems, settings.recordCacheBytes);
  return new SolveProblem(problems, records, pool, queues.solved, log, (result, seconds) =>
    metrics.resolved(result === 'resolved' ? 'succeeded' : 'failed', seconds),
  );
}

const solveExtensionOf = ({ extensionProblems, queues, log, metrics }: Hub): SolveExtension =>
  new SolveExtension(extensionProblems, queues.solved, log, (outcome, seconds) =>
    metrics.extensions.resolved(outcome, seconds),
  );

/** Wiring only. */
@Module({
  providers: [
    { provide: SolverPool, inject: [HUB], useFactory: solverPoolOf },
    { provide: SolveProblem, inject: [HUB, SolverPool], useFactory: solveProblemOf },
    { provide: SolveExtension, inject: [HUB], useFactory: solveExtensionOf },
    ResolveProcessor,
  ],
})
export class ResolverWorkerModule {}
