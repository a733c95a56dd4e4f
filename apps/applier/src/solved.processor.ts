import { Inject, Injectable } from '@nestjs/common';
import { SolvedProblems } from '#lifecycle/engine/publishing/solved-problems';
import { QUEUES } from '#platform/hub/hub-tokens';
import type { SolvedJob } from '#platform/queue/jobs';
import { QueueProcessor } from '#platform/queue/queue-processor';
import type { Queues } from '#platform/queue/queues';

/** A job takes no longer than a few commands of Redis. */
const SOLVED_AT_ONCE = 4;

/** Takes problems that a resolver has handled from the queue `solved`. */
@Injectable()
export class SolvedProcessor extends QueueProcessor<SolvedJob> {
  constructor(
    @Inject(QUEUES) { solved }: Queues,
    private readonly problems: SolvedProblems,
  ) {
    super(solved, SOLVED_AT_ONCE);
  }

  protected run(job: SolvedJob): Promise<void> {
    return this.problems.run(job);
  }
}
