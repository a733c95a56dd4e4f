import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { loadClusters } from '#platform/kube/load-clusters';
import { findRedis } from '#platform/redis/find-redis';
import type { Log } from '#platform/telemetry/log.port';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { ServiceProcess } from './service-process.js';

/** Where the story plays: clusters, a registry, Redis, and the services as processes of their own. */
export type Stage = Readonly<{
  clients: readonly KubeClient[];
  registry: InMemoryRegistry;
  redis: Readonly<{ url: string; how: string }>;
  services: readonly ServiceProcess[];
  kubeconfigs: readonly string[];
  /** Ends everything that was started, whatever state it is in. */
  strike(): Promise<void>;
}>;

export type StageOptions = Readonly<{
  /** Kubeconfigs with the clusters to use; without any, two are simulated. */
  kubeconfigs?: readonly string[];
  log: Log;
  /** Further settings for all services. */
  settings?: Readonly<Record<string, string>>;
}>;

export const SIMULATED_CLUSTERS = ['east', 'west'] as const;

/** Sets everything up and starts one poller, two resolver workers and an applier. */
export async function setStage({ kubeconfigs = [], log, settings = {} }: StageOptions): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-'));
  const endings: (() => Promise<unknown> | unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  const strike = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    const redis = await findRedis({ log: (line) => log.info({}, line) });
    endings.push(() => redis.stop());
    const registry = await startRegistry();
    endings.push(() => registry.stop());
    const files = kubeconfigs.length > 0 ? kubeconfigs : [await simulate(folder, endings)];
    const clients = await loadClusters({ kubeconfigs: files, fieldManager: 'flotilla-demo' });
    endings.push(() => Promise.all(clients.map((client) => client.close())));
    const services = serviceProcesses(folder, files, redis.url, settings);
    endings.push(() => Promise.all(services.map((service) => service.stop())));
    for (const service of services) service.start();
    return { clients, registry, redis, services, kubeconfigs: files, strike };
  } catch (error) {
    await strike();
    throw error;
  }
}

async function simulate(folder: string, endings: (() => unknown)[]): Promise<string> {
  const fleet = await startSimulatedFleet({ clusters: SIMULATED_CLUSTERS, deploymentReadyAfterMs: 700 });
  endings.push(() => fleet.stop());
  const file = join(folder, 'kubeconfig');
  await writeFile(file, fleet.kubeconfig(), { mode: 0o600 });
  return file;
}

function serviceProcesses(
  folder: string,
  kubeconfigs: readonly string[],
  redisUrl: string,
  settings: Readonly<Record<string, string>>,
): ServiceProcess[] {
  const env = {
    FLOTILLA_KUBECONFIG: kubeconfigs.join(':'),
    FLOTILLA_REDIS_URL: redisUrl,
    FLOTILLA_REDIS_PREFIX: `demo-${process.pid}`,
    FLOTILLA_CONTENT_DIR: join(folder, 'content'),
    FLOTILLA_CATALOG_POLLER_PORT: '0',
    FLOTILLA_RESOLVER_WORKER_PORT: '0',
    FLOTILLA_APPLIER_PORT: '0',
    ...settings,
  };
  const names = ['catalog-poller', 'resolver-worker', 'resolver-worker', 'applier'] as const;
  return names.map((service, index) => {
    const name = service === 'resolver-worker' ? `${service}-${index}` : service;
    const own = { ...env, FLOTILLA_CONTENT_DIR: join(folder, 'content', name) };
    return new ServiceProcess(name, service, own, join(folder, `${name}.log`));
  });
}
