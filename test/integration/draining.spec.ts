import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSettings } from '#platform/config/settings';
import { type Hub, openHub } from '#platform/hub/hub';
import { HubKey } from '#platform/hub/hub-key';
import { joinCrds } from '#platform/joining/join-cluster';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { loadClusters } from '#platform/kube/load-clusters';
import { type FoundRedis, findRedis } from '#platform/redis/find-redis';
import { silentLog } from '#platform/telemetry/log.port';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { Applier } from '../../apps/applier/src/applier.js';
import { applierModule } from '../../apps/applier/src/applier.module.js';
import { CatalogPoller } from '../../apps/catalog-poller/src/catalog-poller.js';
import { catalogPollerModule } from '../../apps/catalog-poller/src/catalog-poller.module.js';
import { LOOPBACK_ALLOWED } from '../../apps/cli/src/demo/service-process.js';

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
  await joinCrds(client);
  await client.close();
});
afterAll(async () => {
  await Promise.all([fleet?.stop(), redis?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

const clients = (): Promise<KubeClient[]> =>
  loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'flotilla-applier' });

type Running = Readonly<{ app: INestApplicationContext; hub: Hub; stop(): Promise<void> }>;

/** A service without its HTTP server. */
async function started(prefix: string, moduleOf: typeof applierModule | typeof catalogPollerModule): Promise<Running> {
  const settings = readSettings({
    ...LOOPBACK_ALLOWED,
    FLOTILLA_REDIS_PREFIX: prefix,
    FLOTILLA_CONTENT_DIR: join(folder, randomUUID()),
  });
  const hub = await openHub({ service: 'draining', settings, log: silentLog, redis, key });
  const own = await clients();
  const app = await NestFactory.createApplicationContext(moduleOf(hub, own), { logger: false });
  await app.init();
  return {
    app,
    hub,
    stop: async () => {
      await app.close();
      await hub.close();
      for (const client of own) await client.close();
    },
  };
}

/** How many jobs the process has run, by what its metrics say. */
async function jobsRun({ hub }: Running): Promise<number> {
  const text = await hub.metrics.registry.metrics();
  const counts = [...text.matchAll(/^flotilla_job_duration_seconds_count\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Jobs of the queues that the service takes from; what it has added to others does not count. */
async function jobsWaiting({ hub }: Running, names: readonly (keyof Hub['queues'])[]): Promise<number> {
  const counts = await Promise.all(names.map((name) => hub.queues[name].counts()));
  return counts.reduce((sum, { waiting }) => sum + waiting, 0);
}

it.each<
  [
    string,
    typeof applierModule | typeof catalogPollerModule,
    Type<Applier | CatalogPoller>,
    [ForNamespaces, ForExtensions],
  ]
>([
  ['applier', applierModule, Applier, ['apply', 'extension']],
  ['catalog poller', catalogPollerModule, CatalogPoller, ['observe', 'observeExtension']],
])('a draining %s takes no job of any kind; another one takes them', async (_, moduleOf, service, names) => {
  const [namespaces, extensions] = names;
  const send = ({ hub: { queues } }: Running) =>
    Promise.all([queues[namespaces].add(NAMESPACE), queues[extensions].add(EXTENSION)]);
  const prefix = randomUUID();
  const [ending, producer] = [await started(prefix, moduleOf), await started(prefix, () => ({ module: class {} }))];
  let other: Running | undefined;
  try {
    await send(producer);
    await expect.poll(() => jobsRun(ending), PATIENCE).toBe(2);
    await ending.app.get(service).drain(DEADLINE_MS);
    await send(producer);
    expect(await jobsWaiting(producer, names)).toBe(2);
    other = await started(prefix, moduleOf);
    const taken = other;
    await expect.poll(() => jobsRun(taken), PATIENCE).toBe(2);
    expect(await jobsRun(ending)).toBe(2);
  } finally {
    await Promise.all([ending, producer, other].map((one) => one?.stop()));
  }
});

type ForNamespaces = 'apply' | 'observe';
type ForExtensions = 'extension' | 'observeExtension';
const NAMESPACE = { v: 1, cluster: 'east', namespace: 'apps' } as const;
const EXTENSION = { v: 1, cluster: 'east', extension: 'lamp' } as const;
