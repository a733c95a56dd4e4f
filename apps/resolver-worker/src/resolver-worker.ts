import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Hub } from '#platform/hub/hub';
import { RecordCache } from '#platform/store/record-cache';
import { SolveExtension } from './solve-extension.js';
import { SolveProblem } from './solve-problem.js';
import { SolverPool } from './solver-pool.js';

export const HUB = Symbol('hub');

/** Takes problems from the queue and has them solved in threads. */
@Injectable()
export class ResolverWorker implements OnApplicationBootstrap {
  readonly #pool: SolverPool;

  constructor(@Inject(HUB) private readonly hub: Hub) {
    this.#pool = new SolverPool(hub.settings.resolveConcurrency, hub.settings.solveDeadline);
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
    await queues.resolve.process(({ problem, extension }) => (extension ? solveExtension : solveProblem).run(problem), {
      concurrency: settings.resolveConcurrency,
    });
  }

  async drain(deadlineMs: number): Promise<void> {
    await this.hub.queues.resolve.close({ deadlineMs });
    await this.#pool.close();
  }
}
