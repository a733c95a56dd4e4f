import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { findRedis } from '#platform/redis/local/find-redis';
import { serveCrds } from '#testing/cluster/served-crds';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { applierLogins } from '#testing/control-plane/applier-logins';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { freePorts } from '#testing/control-plane/free-ports';
import { type ServiceName, ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { ClusterRecorder } from './cluster-recorder.js';

/** Clusters with our services at work, and recorders of their events. */
export type RecordedEnvironment = Readonly<{
  clusters: readonly Readonly<{ client: KubeClient; recorder: ClusterRecorder }>[];
  services: readonly ServiceProcess[];
  stop: () => Promise<void>;
}>;

export type RecordedEnvironmentOptions = Readonly<{
  backend: 'simulated' | 'real';
  clusters: number;
  settings?: Readonly<Record<string, string>>;
}>;

type Endings = (() => Promise<unknown> | unknown)[];

/** Redis, clusters, a poller, a resolver and an applier as processes of their own. */
export async function startRecordedEnvironment(options: RecordedEnvironmentOptions): Promise<RecordedEnvironment> {
  const endings: Endings = [];
  const stop = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-recorded-'));
    endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const redis = await findRedis({ log: () => undefined, preferExisting: false });
    endings.push(() => redis.stop());
    const { files, names } = await startClusters(options, folder, endings);
    const clients = await loadClusters({ kubeconfigs: files, contexts: names, fieldManager: 'recorder' });
    endings.push(() => Promise.all(clients.map((client) => client.close())));
    await Promise.all(clients.map(serveCrds));
    const clusters = clients.map((client) => ({ client, recorder: new ClusterRecorder(client) }));
    endings.push(() => Promise.all(clusters.map(({ recorder }) => recorder.stop())));
    await Promise.all(clusters.map(({ recorder }) => recorder.start()));
    const kubeconfigs = { all: files, applier: await applierLogins(files, folder) };
    const services = await startServices(folder, kubeconfigs, {
      FLOTILLA_CONTEXTS: names.join(','),
      FLOTILLA_REDIS_URL: redis.url,
      ...options.settings,
    });
    endings.push(() => Promise.all(services.map((service) => service.stop())));
    return { clusters, services, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startClusters({ backend, clusters }: RecordedEnvironmentOptions, folder: string, endings: Endings) {
  if (backend === 'real') {
    const plane = await startControlPlane({ clusters, log: (line) => console.log(line) });
    endings.push(() => plane.stop());
    return { files: plane.clusters.map(({ kubeconfigPath }) => kubeconfigPath), names: [] };
  }
  const names = Array.from({ length: clusters }, (_, index) => `sea-${index + 1}`);
  const fleet = await startSimulatedFleet({ clusters: names, deploymentReadyAfterMs: 300 });
  endings.push(() => fleet.stop());
  const file = join(folder, 'kubeconfig');
  await writeFile(file, fleet.kubeconfig(), { mode: 0o600 });
  return { files: [file], names };
}

const SERVICES: readonly ServiceName[] = ['catalog-poller', 'resolver-worker', 'applier'];

async function startServices(
  folder: string,
  kubeconfigs: Readonly<Record<'all' | 'applier', readonly string[]>>,
  shared: Readonly<Record<string, string>>,
): Promise<ServiceProcess[]> {
  const [pollerPort = 0] = await freePorts(1);
  const services = SERVICES.map((service) => {
    const env = {
      ...shared,
      FLOTILLA_KUBECONFIG: kubeconfigs[service === 'applier' ? service : 'all'].join(':'),
      FLOTILLA_CONTENT_DIR: join(folder, 'content', service),
      FLOTILLA_CATALOG_POLLER_PORT: String(pollerPort),
      FLOTILLA_RESOLVER_WORKER_PORT: '0',
      FLOTILLA_APPLIER_PORT: '0',
      ...(service === 'applier' ? { FLOTILLA_CONTENT_URL: `http://127.0.0.1:${pollerPort}` } : {}),
    };
    return new ServiceProcess(service, service, env, join(folder, `${service}.log`));
  });
  for (const service of services) service.start();
  return services;
}
