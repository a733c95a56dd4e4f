import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SolveProblems } from '#lifecycle/solve/solve-problems';
import { SolverPool } from '#lifecycle/solve/solver-pool';
import type { Settings } from '#platform/config/settings';
import { QUEUES, SETTINGS } from '#platform/hub/hub-tokens';
import type { JobContext } from '#platform/queue/job-queue.port';
import type { ResolveJob } from '#platform/queue/jobs';
import { QueueProcessor } from '#platform/queue/queue-processor';
import type { Queues } from '#platform/queue/queues';
import { Shutdown } from '#platform/service/shutdown';

/** Jobs that wait for their turn in this process: those that need long leave room for others among them. */
const MOST_WAITING = 32;

/** Takes problems from the queue `resolve` and has them solved. */
@Injectable()
export class ResolveProcessor
  extends QueueProcessor<ResolveJob>
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  constructor(
    @Inject(QUEUES) { resolve }: Queues,
    @Inject(SETTINGS) { resolveConcurrency }: Settings,
    private readonly problems: SolveProblems,
    private readonly pool: SolverPool,
    private readonly shutdown: Shutdown,
  ) {
    super(resolve, resolveConcurrency + MOST_WAITING);
  }

  onApplicationBootstrap(): Promise<void> {
    return this.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.shutdown.drain(async (deadlineMs) => {
      await this.close(deadlineMs);
      await this.pool.close();
    });
  }

  protected run(job: ResolveJob, { addedMs }: JobContext): Promise<void> {
    return this.problems.run(job, addedMs);
  }
}
