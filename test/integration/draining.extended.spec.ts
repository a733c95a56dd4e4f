import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { clustersModule } from '#platform/clusters/clusters.module';
import { readSettings } from '#platform/config/settings';
import { type Hub, openHub } from '#platform/hub/hub';
import { hubModule } from '#platform/hub/hub.module';
import { HubKey } from '#platform/keys/hub-key';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { fixedClusters } from '#platform/membership/service-clusters.port';
import { type FoundRedis, findRedis } from '#platform/redis/local/find-redis';
import type { ServiceParts } from '#platform/service/run-main';
import { Shutdown, shutdownModule } from '#platform/service/shutdown';
import { silentLog } from '#platform/telemetry/log.port';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { applierModule } from '../../apps/applier/src/applier.module.js';
import { catalogPollerModule } from '../../apps/catalog-poller/src/catalog-poller.module.js';
import { LOOPBACK_ALLOWED } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { allServices } from '../../apps/cli/src/commands/up/all-services.js';

const DEADLINE_MS = 5_000;
const key = HubKey.random();

let folder: string;
let redis: FoundRedis;
let fleet: SimulatedFleet;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-draining-'));
  [fleet, redis] = await Promise.all([
    startSimulatedFleet({ clusters: ['east'] }),
    findRedis({ log: (line) => console.log(line), preferExisting: false }),
  ]);
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  const [client] = await clients();
  if (client === undefined) throw new Error('the fleet has no cluster');
  await serveCrds(client);
  await client.close();
});
afterAll(async () => {
  await Promise.all([fleet?.stop(), redis?.stop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const clients = (): Promise<KubeClient[]> =>
  loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'flotilla-applier' });

type Running = Readonly<{ hub: Hub; drain(): Promise<void>; stop(): Promise<void> }>;

/** Services without their HTTP server. */
async function started(prefix: string, modulesOf: Service['modulesOf']): Promise<Running> {
  const hub = await opened(prefix);
  const own = await clients();
  const shutdown = shutdownModule(new Shutdown(DEADLINE_MS, silentLog));
  const imports = [shutdown, hubModule(hub), ...modulesOf(own, hub)];
  const app = await NestFactory.createApplicationContext({ module: class {}, imports }, { logger: false });
  let draining: Promise<void> | undefined;
  const drain = () => {
    draining ??= app.close();
    return draining;
  };
  const stop = async () => {
    await drain();
    await hub.close();
    for (const client of own) await client.close();
  };
  return { hub, drain, stop };
}

const opened = (prefix: string): Promise<Hub> => {
  const settings = readSettings({
    ...LOOPBACK_ALLOWED,
    FLOTILLA_REDIS_PREFIX: prefix,
    FLOTILLA_CONTENT_DIR: join(folder, randomUUID()),
  });
  return openHub({ service: 'draining', settings, log: silentLog, store: redis, key });
};

/** Returns the number of jobs of the queue that the process has run, by its metrics. */
async function jobsRun({ metrics }: Hub, queue: QueueName): Promise<number> {
  const text = await metrics.registry.metrics();
  const counts = [...text.matchAll(/^flotilla_job_duration_seconds_count\{queue="([^"]+)".*\} (\d+)$/gm)];
  return counts.reduce((sum, [, name, count]) => sum + (name === queue ? Number(count) : 0), 0);
}

/** Number of jobs in the service's own queue; jobs that it added to others do not count. */
const jobsWaiting = async ({ queues }: Hub, queue: QueueName): Promise<number> =>
  (await queues[queue].counts()).waiting;

type QueueName = 'apply' | 'observe';
type Service = Readonly<{
  name: string;
  modulesOf: (clients: readonly KubeClient[], hub: Hub) => ServiceParts['imports'];
  queue: QueueName;
}>;

const fixed = (clients: readonly KubeClient[]) => {
  const clusters = fixedClusters(clients);
  return clustersModule({ services: [clusters], probing: clusters });
};
const SERVICES: readonly Service[] = [
  { name: 'applier', modulesOf: (all) => [fixed(all), applierModule(fixedClusters(all))], queue: 'apply' },
  {
    name: 'catalog poller',
    modulesOf: (all) => [fixed(all), catalogPollerModule(fixedClusters(all))],
    queue: 'observe',
  },
];
const SUBJECTS = [
  { cluster: 'east', namespace: 'apps' },
  { cluster: 'east', extension: 'lamp' },
  { cluster: 'east', objectSet: 'lamp-1' },
];

it.each(SERVICES)('a draining $name takes no job of any kind of subject; another one takes them', async (service) => {
  const { queue, modulesOf } = service;
  const prefix = randomUUID();
  const [ending, producer] = [await started(prefix, modulesOf), await opened(prefix)];
  const send = () => Promise.all(SUBJECTS.map((subject) => producer.queues[queue].add({ v: 1, ...subject })));
  let other: Running | undefined;
  try {
    await send();
    await expect.poll(() => jobsRun(ending.hub, queue), PATIENCE).toBeGreaterThanOrEqual(SUBJECTS.length);
    await ending.drain();
    const before = await jobsRun(ending.hub, queue);
    await send();
    expect(await jobsWaiting(producer, queue)).toBe(SUBJECTS.length);
    other = await started(prefix, modulesOf);
    const { hub } = other;
    await expect.poll(() => jobsRun(hub, queue), PATIENCE).toBeGreaterThanOrEqual(SUBJECTS.length);
    expect(await jobsRun(ending.hub, queue)).toBe(before);
  } finally {
    await Promise.all([ending.stop(), other?.stop()]);
    await producer.close();
  }
});

it('services in one process drain one after the other, in the order in which work flows', async () => {
  const all = await started(
    randomUUID(),
    (own, { settings }) => allServices(settings, { poller: fixedClusters(own), applier: fixedClusters(own) }).imports,
  );
  const calls: string[] = [];
  try {
    for (const queue of Object.values(all.hub.queues)) {
      const close = queue.close.bind(queue);
      vi.spyOn(queue, 'close').mockImplementation(async (options) => {
        calls.push(`${queue.name} closes`);
        await close(options);
        calls.push(`${queue.name} is closed`);
      });
    }
    await all.drain();
  } finally {
    await all.stop();
  }
  expect(calls.slice(0, 4)).toEqual(['observe closes', 'observe is closed', 'resolve closes', 'resolve is closed']);
  expect(calls.slice(4, 6).toSorted()).toEqual(['apply closes', 'solved closes']);
  expect(calls).toHaveLength(8);
});
