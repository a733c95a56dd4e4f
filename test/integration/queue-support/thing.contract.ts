import { z } from 'zod';
import type { JobContract } from '#platform/queue/job-queue.port';

export const ThingJob = z.strictObject({ v: z.literal(1), thing: z.string(), cluster: z.string().optional() });
export type ThingJob = z.infer<typeof ThingJob>;
export const thingContract: JobContract<ThingJob> = {
  name: 'things',
  version: 1,
  schema: ThingJob,
  keyOf: (job) => job.thing,
  clusterOf: (job) => job.cluster,
};
export const thing = (name: string): ThingJob => ({ v: 1, thing: name });
export const thingOf = (cluster: string, name: string): ThingJob => ({ v: 1, thing: name, cluster });
