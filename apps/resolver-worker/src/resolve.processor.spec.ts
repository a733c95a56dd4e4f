import { expect, it } from 'vitest';
import type { SolveProblems } from '#lifecycle/solve/solve-problems';
import type { SolverPool } from '#lifecycle/solve/solver-pool';
import type { Settings } from '#platform/config/settings';
import type { ResolveJob } from '#platform/queue/jobs';
import { memoryQueues } from '#platform/queue/queues';
import { Shutdown } from '#platform/service/shutdown';
import { ResolveProcessor } from './resolve.processor.js';

const HASH = (at: number): string => String(at % 10).repeat(60) + String(1_000 + at);
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A processor whose problems take as long as the test wants. */
async function started(resolveConcurrency = 2) {
  const queues = memoryQueues();
  const order: string[] = [];
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const run = async ({ problem }: ResolveJob) => {
    order.push(`begun ${problem.slice(-4)}`);
    await promise;
    order.push(`solved ${problem.slice(-4)}`);
  };
  const pool = { close: async () => void order.push('pool closed') } as unknown as SolverPool;
  const shutdown = new Shutdown(60_000, { error: () => void order.push('not drained') });
  const settings = { resolveConcurrency } as Settings;
  const processor = new ResolveProcessor(queues, settings, { run } as unknown as SolveProblems, pool, shutdown);
  await processor.onApplicationBootstrap();
  const add = (at: number) =>
    queues.resolve.add({ v: 1, problem: HASH(at), owner: { cluster: 'east', namespace: 'shop' } });
  return { processor, order, release, add };
}

it('takes more problems than it solves at once: those that need long leave room for others', async () => {
  const { processor, order, release, add } = await started();
  for (let at = 0; at < 40; at += 1) await add(at);
  await settle();
  expect(order.filter((entry) => entry.startsWith('begun'))).toHaveLength(2 + 32);
  release();
  await processor.beforeApplicationShutdown();
});

it('ends the solvers after the problems that run, and takes no other job', async () => {
  const { processor, order, release, add } = await started();
  await add(1);
  await settle();
  const ended = processor.beforeApplicationShutdown();
  await settle();
  expect(order).toEqual(['begun 1001']);
  release();
  await ended;
  await settle();
  expect(order).toEqual(['begun 1001', 'solved 1001', 'pool closed']);
});
