import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { findRedis } from '#platform/redis/local/find-redis';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { putSampleBundles, putSampleCatalog } from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { type ServiceName, ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';

/**
 * Simulated clusters in this process, a registry with the sample catalog, Redis, and the services as
 * processes.
 */
export type FleetEnvironment = Readonly<{
  fleet: SimulatedFleet;
  clients: readonly KubeClient[];
  registryHost: string;
  services: readonly ServiceProcess[];
  stop(): Promise<void>;
}>;

export type FleetEnvironmentOptions = Readonly<{
  clusters: readonly string[];
  services: readonly (readonly [name: string, service: ServiceName])[];
  settings?: Readonly<Record<string, string>>;
  profileFolder?: string | undefined;
}>;

type Endings = (() => Promise<unknown> | unknown)[];

export async function startFleetEnvironment(options: FleetEnvironmentOptions): Promise<FleetEnvironment> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-fleet-'));
  const endings: Endings = [() => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  const stop = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await build(folder, options, endings)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function build(
  folder: string,
  options: FleetEnvironmentOptions,
  endings: Endings,
): Promise<Omit<FleetEnvironment, 'stop'>> {
  const redis = await findRedis({ log: () => undefined });
  endings.push(() => redis.stop());
  const registry = await startRegistry();
  endings.push(() => registry.stop());
  const examples = join(PROJECT_ROOT, 'examples');
  await putSampleBundles(examples, registry.put);
  await putSampleCatalog(examples, 'v1', registry);
  const fleet = await startSimulatedFleet({ clusters: options.clusters });
  endings.push(() => fleet.stop());
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  const clients = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'flotilla-bench' });
  endings.push(() => Promise.all(clients.map((client) => client.close())));
  const shared = {
    ...servicesSettings(kubeconfig, redis.url, `fleet-${folder.slice(-6)}`),
    ...options.settings,
    ...(options.profileFolder === undefined
      ? {}
      : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${options.profileFolder}` }),
  };
  const services = options.services.map(([name, service]) => {
    const env = { ...shared, FLOTILLA_CONTENT_DIR: join(folder, 'content', name) };
    return new ServiceProcess(name, service, env, join(folder, `${name}.log`));
  });
  endings.push(() => Promise.all(services.map((service) => service.stop())));
  for (const service of services) service.start();
  return { fleet, clients, registryHost: registry.host, services };
}

const servicesSettings = (kubeconfig: string, redisUrl: string, redisPrefix: string): Record<string, string> => ({
  FLOTILLA_KUBECONFIG: kubeconfig,
  FLOTILLA_REDIS_URL: redisUrl,
  FLOTILLA_REDIS_PREFIX: redisPrefix,
  FLOTILLA_CATALOG_POLLER_PORT: '0',
  FLOTILLA_RESOLVER_WORKER_PORT: '0',
  FLOTILLA_APPLIER_PORT: '0',
  FLOTILLA_LOG_LEVEL: 'debug',
});
