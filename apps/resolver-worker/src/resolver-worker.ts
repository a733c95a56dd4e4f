import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SolveExtension } from '#lifecycle/solve/solve-extension';
import { SolveProblem } from '#lifecycle/solve/solve-problem';
import { SolverPool } from '#lifecycle/solve/solver-pool';
import type { Hub } from '#platform/hub/hub';
import { RecordCache } from '#platform/store/record-cache';

export const HUB = Symbol('hub');

/** Jobs that wait for their turn in this process: those that need long leave room for others among them. */
const MOST_WAITING = 32;

/** Takes problems from the queue and has them solved in threads. */
@Injectable()
export class ResolverWorker implements OnApplicationBootstrap {
  readonly #pool: SolverPool;

  constructor(@Inject(HUB) private readonly hub: Hub) {
    const { resolveConcurrency: size, solveDeadline, solveFirstDeadline } = hub.settings;
    const { lanes } = hub.metrics;
    this.#pool = new SolverPool(size, solveDeadline, undefined, undefined, {
      first: lanes.limiter('solve', { total: size, perCluster: size, perNamespace: 1 }),
      slow: lanes.limiter('solve-slow', { total: 1, perCluster: 1, perNamespace: 1 }),
      firstMs: solveFirstDeadline,
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const { problems, queues, log, metrics, settings } = this.hub;
    const records = new RecordCache(problems, settings.recordCacheBytes);
    const solveProblem = new SolveProblem(problems, records, this.#pool, queues.solved, log, (result, seconds) =>
      metrics.resolved(result === 'resolved' ? 'succeeded' : 'failed', seconds),
    );
    const solveExtension = new SolveExtension(this.hub.extensionProblems, queues.solved, log, (outcome, seconds) =>
      metrics.extensions.resolved(outcome, seconds),
    );
    await queues.resolve.process(
      ({ problem, extension, owner }) => (extension ? solveExtension.run(problem) : solveProblem.run(problem, owner)),
      { concurrency: settings.resolveConcurrency + MOST_WAITING },
    );
  }

  async drain(deadlineMs: number): Promise<void> {
    await this.hub.queues.resolve.close({ deadlineMs });
    await this.#pool.close();
  }
}
