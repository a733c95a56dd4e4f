import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { redisQueues } from '#platform/queue/queues';
import { findRedis } from '#platform/redis/local/find-redis';
import { openRedis } from '#platform/redis/redis-connection';
import { silentLog } from '#platform/telemetry/log.port';
import { machine } from './machine.js';

// Usage: node dist/bench/redis-memory.js. How much of Redis' memory a waiting job, a delayed job and a
// connection take, by used_memory before and after. No worker takes the jobs.

const JOBS = 5_000;
const CONNECTIONS = 100;
const CLUSTERS = 100;
const HOUR_MS = 3_600_000;

const found = await findRedis({ log: () => undefined, preferExisting: false });
const { redis } = openRedis(found.url, silentLog);
const { resolve, solved, apply, observe } = redisQueues({ redis, shards: 16 });

const hash = (n: number): string => createHash('sha256').update(String(n)).digest('hex');
const subject = (n: number) =>
  ({ v: 1, cluster: `cluster-${n % CLUSTERS}`, namespace: `team-${Math.floor(n / CLUSTERS)}-operators` }) as const;
const problem = (n: number) => {
  const { cluster, namespace } = subject(n);
  return { v: 1, problem: hash(n), owner: { cluster, namespace } } as const;
};
const adders: Readonly<Record<string, (n: number) => Promise<void>>> = {
  'job that waits in `resolve`': (n) => resolve.add(problem(n)),
  'job that waits in `solved`': (n) => solved.add({ v: 1, problem: hash(n) }),
  'job that waits in `apply`': (n) => apply.add(subject(n)),
  'job that waits in `observe`': (n) => observe.add(subject(n)),
  'delayed job': (n) => apply.add(subject(n), { delayMs: HOUR_MS }),
};

async function usedBytes(): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
}

/** Returns the bytes of each job. The first jobs create the fixed keys of each queue; these do not count. */
async function bytesOfEach(add: (n: number) => Promise<void>): Promise<number> {
  for (let n = 0; n < CLUSTERS; n += 1) await add(n);
  const before = await usedBytes();
  for (let n = CLUSTERS; n < JOBS + CLUSTERS; n += 1) await add(n);
  return ((await usedBytes()) - before) / JOBS;
}

async function bytesOfConnection(): Promise<number> {
  const before = await usedBytes();
  const open = Array.from({ length: CONNECTIONS }, () => new Redis(found.url));
  await Promise.all(open.map((connection) => connection.ping()));
  const after = await usedBytes();
  for (const connection of open) connection.disconnect();
  return (after - before) / CONNECTIONS;
}

try {
  const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1];
  const rows = ['| what | memory of Redis |', '| --- | --- |'];
  for (const [what, add] of Object.entries(adders))
    rows.push(`| ${what} | ${(await bytesOfEach(add)).toFixed(0)} bytes |`);
  const events = await redis.memory('USAGE', 'flotilla:queue:resolve:events', 'SAMPLES', 0);
  rows.push(`| the last events of one part of a queue, which it keeps | ${events} bytes |`);
  rows.push(`| connection | ${(await bytesOfConnection()).toFixed(0)} bytes |`);
  process.stdout.write(`${machine()}; Redis ${version}; ${JOBS} jobs of each kind\n\n${rows.join('\n')}\n`);
} finally {
  await Promise.all([resolve, solved, apply, observe].map((queue) => queue.close()));
  redis.disconnect();
  await found.stop();
}
