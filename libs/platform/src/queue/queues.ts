import { subjectKey } from '#core/kernel/subject/subject';
import { BullmqJobQueue, type BullmqJobQueueOptions } from './bullmq-job-queue.js';
import { DuePoll } from './due-poll.js';
import type { JobContract, JobQueue } from './job-queue.port.js';
import { APPLY_QUEUE, OBSERVE_QUEUE, RESOLVE_QUEUE, ResolveJob, SOLVED_QUEUE, SolvedJob, SubjectJob } from './jobs.js';
import { MemoryJobQueue, type MemoryJobQueueOptions } from './memory-job-queue.js';

/** One job per distinct problem, however many namespaces and clusters wait for its answer. */
export const resolveContract: JobContract<ResolveJob> = {
  name: RESOLVE_QUEUE,
  schema: ResolveJob,
  keyOf: (job) => job.problem,
  clusterOf: (job) => job.owner?.cluster,
};
export const solvedContract: JobContract<SolvedJob> = {
  name: SOLVED_QUEUE,
  schema: SolvedJob,
  keyOf: (job) => job.problem,
};
const clusterOf = ({ cluster }: SubjectJob): string => cluster;

/** One job per subject: two passes of one subject never run at the same time. */
export const applyContract: JobContract<SubjectJob> = {
  name: APPLY_QUEUE,
  schema: SubjectJob,
  keyOf: subjectKey,
  clusterOf,
};
export const observeContract: JobContract<SubjectJob> = {
  name: OBSERVE_QUEUE,
  schema: SubjectJob,
  keyOf: subjectKey,
  clusterOf,
};

/** All queues between the services. */
export type Queues = Readonly<{
  resolve: JobQueue<ResolveJob>;
  solved: JobQueue<SolvedJob>;
  apply: JobQueue<SubjectJob>;
  observe: JobQueue<SubjectJob>;
}>;

export function redisQueues(ofAll: BullmqJobQueueOptions): Queues {
  const options = { duePoll: new DuePoll(ofAll.redis), ...ofAll };
  return {
    resolve: new BullmqJobQueue(resolveContract, options),
    solved: new BullmqJobQueue(solvedContract, options),
    apply: new BullmqJobQueue(applyContract, options),
    observe: new BullmqJobQueue(observeContract, options),
  };
}

export const memoryQueues = (options: MemoryJobQueueOptions = {}): Queues => ({
  resolve: new MemoryJobQueue(resolveContract, options),
  solved: new MemoryJobQueue(solvedContract, options),
  apply: new MemoryJobQueue(applyContract, options),
  observe: new MemoryJobQueue(observeContract, options),
});
