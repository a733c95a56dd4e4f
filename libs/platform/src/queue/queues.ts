import { BullmqJobQueue, type BullmqJobQueueOptions } from './bullmq-job-queue.js';
import { DuePoll } from './due-poll.js';
import type { JobContract, JobQueue } from './job-queue.port.js';
import {
  APPLY_QUEUE,
  ApplyJob,
  EXTENSION_QUEUE,
  ExtensionJob,
  extensionKey,
  namespaceKey,
  OBSERVE_EXTENSION_QUEUE,
  OBSERVE_QUEUE,
  ObserveJob,
  RESOLVE_QUEUE,
  ResolveJob,
  SOLVED_QUEUE,
  SolvedJob,
} from './jobs.js';
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
const clusterOf = (job: Readonly<{ cluster: string }>): string => job.cluster;

export const applyContract: JobContract<ApplyJob> = {
  name: APPLY_QUEUE,
  schema: ApplyJob,
  keyOf: namespaceKey,
  clusterOf,
};
export const observeContract: JobContract<ObserveJob> = {
  name: OBSERVE_QUEUE,
  schema: ObserveJob,
  keyOf: namespaceKey,
  clusterOf,
};

export const extensionContract: JobContract<ExtensionJob> = {
  name: EXTENSION_QUEUE,
  schema: ExtensionJob,
  keyOf: extensionKey,
  clusterOf,
};
export const observeExtensionContract: JobContract<ExtensionJob> = {
  name: OBSERVE_EXTENSION_QUEUE,
  schema: ExtensionJob,
  keyOf: extensionKey,
  clusterOf,
};

/** All queues between the services. */
export type Queues = Readonly<{
  resolve: JobQueue<ResolveJob>;
  solved: JobQueue<SolvedJob>;
  apply: JobQueue<ApplyJob>;
  observe: JobQueue<ObserveJob>;
  extension: JobQueue<ExtensionJob>;
  observeExtension: JobQueue<ExtensionJob>;
}>;

export function redisQueues(ofAll: BullmqJobQueueOptions): Queues {
  const options = { duePoll: new DuePoll(ofAll.redis), ...ofAll };
  return {
    resolve: new BullmqJobQueue(resolveContract, options),
    solved: new BullmqJobQueue(solvedContract, options),
    apply: new BullmqJobQueue(applyContract, options),
    observe: new BullmqJobQueue(observeContract, options),
    extension: new BullmqJobQueue(extensionContract, options),
    observeExtension: new BullmqJobQueue(observeExtensionContract, options),
  };
}

export const memoryQueues = (options: MemoryJobQueueOptions = {}): Queues => ({
  resolve: new MemoryJobQueue(resolveContract, options),
  solved: new MemoryJobQueue(solvedContract, options),
  apply: new MemoryJobQueue(applyContract, options),
  observe: new MemoryJobQueue(observeContract, options),
  extension: new MemoryJobQueue(extensionContract, options),
  observeExtension: new MemoryJobQueue(observeExtensionContract, options),
});
