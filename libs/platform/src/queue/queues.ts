import { shardOf } from '#core/cluster/ownership/shard';
import { subjectKey } from '#core/kernel/subject/subject';
import { BullmqJobQueue, type BullmqJobQueueOptions } from './bullmq-job-queue.js';
import { DuePoll } from './due-poll.js';
import type { FinishedJob, JobContract, JobQueue } from './job-queue.port.js';
import {
  APPLY_QUEUE,
  JOB_VERSION,
  NOTIFY_QUEUE,
  NotifyJob,
  OBSERVE_QUEUE,
  RESOLVE_QUEUE,
  ResolveJob,
  SOLVED_QUEUE,
  SolvedJob,
  SubjectJob,
} from './jobs.js';
import { MemoryJobQueue, type MemoryJobQueueOptions } from './memory-job-queue.js';
import { OccupiedKeys } from './occupied-keys.js';
import { ShardedJobQueue } from './sharded-job-queue.js';

/** One job per distinct problem, however many namespaces and clusters wait for its answer. */
export const resolveContract: JobContract<ResolveJob> = {
  name: RESOLVE_QUEUE,
  version: JOB_VERSION,
  schema: ResolveJob,
  keyOf: (job) => job.problem,
  clusterOf: (job) => job.owner?.cluster,
};
export const solvedContract: JobContract<SolvedJob> = {
  name: SOLVED_QUEUE,
  version: JOB_VERSION,
  schema: SolvedJob,
  keyOf: (job) => job.problem,
};
const clusterOf = ({ cluster }: SubjectJob): string => cluster;

/** One job per subject: two passes of one subject never run at the same time. */
export const applyContract: JobContract<SubjectJob> = {
  name: APPLY_QUEUE,
  version: JOB_VERSION,
  schema: SubjectJob,
  keyOf: subjectKey,
  clusterOf,
};
const observeContract: JobContract<SubjectJob> = {
  name: OBSERVE_QUEUE,
  version: JOB_VERSION,
  schema: SubjectJob,
  keyOf: subjectKey,
  clusterOf,
};

/** One job per FleetNotification: one process at a time sends its messages and writes its status. */
const notifyContract: JobContract<NotifyJob> = {
  name: NOTIFY_QUEUE,
  version: JOB_VERSION,
  schema: NotifyJob,
  keyOf: ({ notification }) => notification,
};

/** All queues between the services. */
export type Queues = Readonly<{
  resolve: JobQueue<ResolveJob>;
  solved: JobQueue<SolvedJob>;
  apply: JobQueue<SubjectJob>;
  observe: JobQueue<SubjectJob>;
  notify: JobQueue<NotifyJob>;
}>;

type RedisQueuesOptions = BullmqJobQueueOptions &
  Readonly<{
    /** Into how many parts the queues of clusters' subjects are split. Default 1. */
    shards?: number;
  }>;

export function redisQueues({ shards = 1, ...ofAll }: RedisQueuesOptions): Queues {
  const options = { duePoll: new DuePoll(ofAll.redis), occupied: new OccupiedKeys(ofAll.redis), ...ofAll };
  return {
    resolve: new BullmqJobQueue(resolveContract, options),
    solved: new BullmqJobQueue(solvedContract, options),
    apply: subjectQueue(applyContract, shards, options),
    observe: subjectQueue(observeContract, shards, options),
    notify: new BullmqJobQueue(notifyContract, options),
  };
}

/** Each process takes the jobs of its own clusters: a shard has a queue of its own in Redis. */
function subjectQueue(
  contract: JobContract<SubjectJob>,
  shards: number,
  options: BullmqJobQueueOptions,
): JobQueue<SubjectJob> {
  const { name } = contract;
  if (shards === 1) return new BullmqJobQueue(contract, options);
  const { onFinished } = options;
  const known = new Map<string, number>();
  const ofShard = {
    ...options,
    ...(onFinished && { onFinished: (job: FinishedJob) => onFinished({ ...job, queue: name }) }),
  };
  return new ShardedJobQueue<SubjectJob>({
    name,
    shards,
    shardOf: ({ cluster }) => {
      const shard = known.get(cluster) ?? shardOf(cluster, shards);
      known.set(cluster, shard);
      return shard;
    },
    queueOf: (shard) => new BullmqJobQueue({ ...contract, name: `${name}-${shard}` }, ofShard),
  });
}

export const memoryQueues = (options: MemoryJobQueueOptions = {}): Queues => ({
  resolve: new MemoryJobQueue(resolveContract, options),
  solved: new MemoryJobQueue(solvedContract, options),
  apply: new MemoryJobQueue(applyContract, options),
  observe: new MemoryJobQueue(observeContract, options),
  notify: new MemoryJobQueue(notifyContract, options),
});

type ReadQueue = Pick<JobQueue<never>, 'name' | 'counts' | 'sample'>;
/** The service that works on the queue of notifications alone. */
const NOTIFIER = 'notifier';

/**
 * Returns the queues that a service may read. `hasKey`: it observes clusters or acts on them; a resolver has
 * no key, and the notifier has none.
 */
export function readableQueues(queues: Queues, service: string, hasKey: boolean): readonly ReadQueue[] {
  if (service === NOTIFIER) return [queues.notify];
  return hasKey ? Object.values(queues) : [queues.resolve, queues.solved];
}
