import { expect, it } from 'vitest';
import type { Subject } from '#core/kernel/subject/subject';
import type { ObservedFleet } from '#lifecycle/fleet/observed-fleet';
import type { Settings } from '#platform/config/settings';
import { memoryQueues } from '#platform/queue/queues';
import { Shutdown } from '#platform/service/shutdown';
import { ObserveProcessor } from './observe.processor.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

async function started(stop: () => Promise<void> = async () => undefined) {
  const queues = memoryQueues();
  const seen: unknown[] = [];
  const fleet = {
    start: () => void seen.push('started'),
    observe: (subject: Subject) => void seen.push(subject),
    stop: () => {
      seen.push('stopped');
      return stop();
    },
  } as unknown as ObservedFleet;
  const shutdown = new Shutdown(60_000, { error: (_, text) => void seen.push(text) });
  const processor = new ObserveProcessor(queues, { observeConcurrency: 2 } as Settings, fleet, shutdown);
  await processor.onApplicationBootstrap();
  return { queues, processor, seen };
}

it.each<Subject>([
  { cluster: 'east', namespace: 'shop' },
  { cluster: 'east', extension: 'lamp' },
])('a job has its subject observed again: %j', async (subject) => {
  const { queues, processor, seen } = await started();
  await queues.observe.add({ v: 1, ...subject });
  await settle();
  expect(seen).toEqual(['started', subject]);
  await processor.beforeApplicationShutdown();
});

it('a service that ends stops observing, and takes no further job', async () => {
  const { queues, processor, seen } = await started();
  await processor.beforeApplicationShutdown();
  await queues.observe.add({ v: 1, cluster: 'east', namespace: 'shop' }).catch(() => undefined);
  await settle();
  expect(seen).toEqual(['started', 'stopped']);
});

it('a fleet that cannot be stopped is reported, and does not hold up the end', async () => {
  const { processor, seen } = await started(() => Promise.reject(new Error('stuck')));
  await processor.beforeApplicationShutdown();
  expect(seen).toEqual(['started', 'stopped', 'could not drain the work']);
});
