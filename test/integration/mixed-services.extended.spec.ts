import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { shardOf } from '#core/cluster/ownership/shard';
import { BullmqJobQueue } from '#platform/queue/bullmq-job-queue';
import type { JobContract } from '#platform/queue/job-queue.port';
import { APPLY_QUEUE, OBSERVE_QUEUE, RESOLVE_QUEUE, SOLVED_QUEUE } from '#platform/queue/jobs';
import { type FoundRedis, findRedis } from '#platform/redis/local/find-redis';
import { connectRedis } from '#platform/redis/redis-connection';
import { silentLog } from '#platform/telemetry/log.port';
import { LIMITS, PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import type { ServiceName } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { KillWalk } from '../story/kill-walk/kill-walk.js';
import { subscribe } from '../story/kill-walk/walked-story.js';

/** `FLOTILLA_SHARDS` of the services at their start. */
const SHARDS = 16;
const CLUSTER = 'east';
const SERVICES: readonly ServiceName[] = ['catalog-poller', 'resolver-worker', 'applier'];

/** Jobs as a next release would have them: one field more. */
const NextSubject = z.strictObject({ v: z.literal(2), cluster: z.string(), namespace: z.string(), hasty: z.boolean() });
type NextSubject = z.infer<typeof NextSubject>;
const NextProblem = z.looseObject({ v: z.literal(2), problem: z.string(), hasty: z.boolean() });
type NextProblem = z.infer<typeof NextProblem>;
const upgrades = { 1: (older: Readonly<Record<string, unknown>>) => ({ ...older, v: 2, hasty: false }) };

const nextSubject = (queue: string): JobContract<NextSubject> => ({
  name: `${queue}-${shardOf(CLUSTER, SHARDS)}`,
  version: 2,
  schema: NextSubject,
  upgrades,
  keyOf: ({ cluster, namespace }) => `${cluster}/${namespace}`,
});
const nextProblem = (queue: string): JobContract<NextProblem> => ({
  name: queue,
  version: 2,
  schema: NextProblem,
  upgrades,
  keyOf: ({ problem }) => problem,
});
const subject = (namespace: string): NextSubject => ({ v: 2, cluster: CLUSTER, namespace, hasty: true });
const problem = (digit: string): NextProblem => ({ v: 2, problem: digit.repeat(64), hasty: true });

let registry: InMemoryRegistry;
let found: FoundRedis;
let redis: Redis;
let walk: KillWalk;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  registry = await startRegistry();
  found = await findRedis({ log: () => undefined, preferExisting: false });
  redis = connectRedis(found.url);
  walk = await KillWalk.start(found.url, registry);
});
afterAll(async () => {
  for (const close of closing) await close();
  await walk?.stop();
  redis?.disconnect();
  await found?.stop();
  await registry?.stop();
});

/** A service of the next release, as far as one queue of it goes. */
function next<J>(contract: JobContract<J>) {
  const options = { redis, prefix: walk.environment.prefix, log: silentLog, setAsideLookMs: 200 };
  const queue = new BullmqJobQueue(contract, options);
  closing.push(() => queue.close({ deadlineMs: 0 }));
  const took: J[] = [];
  return { queue, took, work: () => queue.process(async (job) => void took.push(job), { concurrency: 1 }) };
}

const metrics = async (name: ServiceName) =>
  (await fetch(`${await walk.environment.service(name).url()}/metrics`)).text();
const count = (queue: string, state: string, jobs: number) =>
  `bullmq_job_count{queue="${queue}",state="${state}"} ${jobs}\n`;
/** Expects jobs of the next release to get these back; again if an older service had one meanwhile. */
const expectHasty = <J extends Readonly<{ hasty: boolean }>>(
  took: readonly J[],
  nameOf: (job: J) => string | undefined,
  expected: readonly string[],
): Promise<void> =>
  expect.poll(() => [...new Set(took.filter(({ hasty }) => hasty).map(nameOf))].toSorted(), PATIENCE).toEqual(expected);
const keysOf = async (pattern: string) => (await redis.keys(`${walk.environment.prefix}:${pattern}`)).toSorted();

/** The queue that each service takes jobs from. */
const TAKES = [
  ['applier', APPLY_QUEUE],
  ['applier', SOLVED_QUEUE],
  ['catalog-poller', OBSERVE_QUEUE],
  ['resolver-worker', RESOLVE_QUEUE],
] as const;

describe('applier, poller and resolver of this release beside those of the next', () => {
  const HASH = 'a'.repeat(64);
  const VALUES = [
    'observation-v2:east/walked',
    'observation-v4:east/walked',
    `solution-v1:${HASH}`,
    `solution-v3:${HASH}`,
  ];
  let subjects: ReturnType<typeof next<NextSubject>>[];
  let problems: ReturnType<typeof next<NextProblem>>[];
  let values: string[];

  beforeAll(async () => {
    values = VALUES.map((name) => `${walk.environment.prefix}:${name}`);
    for (const name of values) await redis.set(name, 'of another release');
    subjects = [APPLY_QUEUE, OBSERVE_QUEUE].map((queue) => next(nextSubject(queue)));
    problems = [RESOLVE_QUEUE, SOLVED_QUEUE].map((queue) => next(nextProblem(queue)));
  });
  const add = async (namespace: string, digit: string) => {
    for (const { queue } of subjects) await queue.add(subject(namespace));
    for (const { queue } of problems) await queue.add(problem(digit));
  };
  const expectAside = async (jobs: number) => {
    for (const [name, queue] of TAKES) {
      await expect.poll(() => walk.environment.service(name).url(), PATIENCE).toBeDefined();
      await expect.poll(() => metrics(name), PATIENCE).toContain(count(queue, 'set-aside', jobs));
      expect(await metrics(name)).toContain(count(queue, 'failed', 0));
      // A service that has just started is not ready at once.
      const ready = async () => (await fetch(`${await walk.environment.service(name).url()}/readyz`)).status;
      await expect.poll(ready, PATIENCE).toBe(200);
    }
  };

  it('set its jobs aside while they work, and install and upgrade meanwhile', { timeout: LIMITS.test }, async () => {
    await add('walked', 'a');
    const { left } = await walk.undisturbed();
    const operator = 'ClusterServiceVersion walked/torch.v2.0.0';
    expect(left.objects[operator]).toMatchObject({ status: { phase: 'Succeeded' } });
    await expectAside(1);
  });

  it('set aside what waits as they start', { timeout: LIMITS.test }, async () => {
    const { service } = walk.environment;
    for (const name of SERVICES) await service(name).stop();
    await add('other', 'b');
    for (const name of SERVICES) service(name).start();
    await expectAside(2);
  });

  it('leave its values alone', async () => {
    expect(await redis.mget(values)).toEqual(values.map(() => 'of another release'));
  });

  it('lose none of its jobs: it takes all of them, and reads theirs', { timeout: LIMITS.test }, async () => {
    const { service, cluster } = walk.environment;
    for (const name of SERVICES) await service(name).stop();
    for (const { work } of subjects) await work();
    for (const { work } of problems) await work();
    for (const { took } of subjects) await expectHasty(took, ({ namespace }) => namespace, ['other', 'walked']);
    for (const { took } of problems) await expectHasty(took, (job) => job.problem[0], ['a', 'b']);
    expect(await keysOf('alarm:*:aside')).toEqual([]);

    await redis.del(await keysOf('solution-v2:*'));
    service('catalog-poller').start();
    subscribe(cluster);
    const resolve = problems[0]?.took ?? [];
    await expect.poll(() => resolve.filter(({ hasty }) => !hasty), PATIENCE).toHaveLength(1);
    expect(resolve.at(-1)).toMatchObject({ v: 2, owner: { cluster: CLUSTER, namespace: 'walked' } });
  });
});
