import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { findRedis } from '#platform/redis/local/find-redis';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { freePorts } from '#testing/control-plane/free-ports';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { installMissingCrds } from '../../apps/cli/src/commands/demo/environment/install-crds.js';
import { type ServiceName, ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { AUDIT_POLICY, fromAuditLog, fromSimulator, type RequestSource } from './counted-requests.js';

/**
 * One cluster, or many simulated ones, a registry, Redis, and a poller, a resolver worker and an applier as
 * processes.
 */
export type LifecycleEnvironment = Readonly<{
  /** Client of the first cluster. */
  client: KubeClient;
  clients: readonly KubeClient[];
  /** To the first cluster. */
  requests: RequestSource;
  registry: InMemoryRegistry;
  services: readonly ServiceProcess[];
  redisUrl: string;
  stop: () => Promise<void>;
}>;

export type LifecycleEnvironmentOptions = Readonly<{
  /** How many simulated clusters; 0: one real control plane. */
  simulated: number;
  profileFolder?: string | undefined;
  /** Another checkout, built: its services run; absent: those of this one. */
  checkout?: string | undefined;
  logLevel?: 'debug' | 'info';
}>;

type Endings = (() => Promise<unknown> | unknown)[];
type Cluster = Readonly<{ kubeconfigPath: string; requests: RequestSource }>;

const SERVICES: readonly ServiceName[] = ['catalog-poller', 'resolver-worker', 'applier'];

export async function startLifecycleEnvironment(options: LifecycleEnvironmentOptions): Promise<LifecycleEnvironment> {
  const endings: Endings = [];
  const stop = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-lifecycle-'));
    endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    return { ...(await build(folder, options, endings)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function build(folder: string, options: LifecycleEnvironmentOptions, endings: Endings) {
  const redis = await findRedis({ log: () => undefined, preferExisting: false });
  endings.push(() => redis.stop());
  const registry = await startRegistry();
  endings.push(() => registry.stop());
  const { kubeconfigPath, requests } = await (options.simulated > 0
    ? simulated(options.simulated, folder, endings)
    : real(folder, endings));
  const clients = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: 'flotilla-bench' });
  const [client] = clients;
  if (client === undefined) throw new Error(`${kubeconfigPath} names no cluster`);
  endings.push(() => Promise.all(clients.map((one) => one.close())));
  await Promise.all(clients.map(installMissingCrds));
  const [pollerPort = 0] = await freePorts(1);
  const services = SERVICES.map((service) => {
    const env = {
      FLOTILLA_KUBECONFIG: kubeconfigPath,
      FLOTILLA_REDIS_URL: redis.url,
      FLOTILLA_CONTENT_DIR: join(folder, 'content', service),
      FLOTILLA_CATALOG_POLLER_PORT: String(pollerPort),
      FLOTILLA_RESOLVER_WORKER_PORT: '0',
      FLOTILLA_APPLIER_PORT: '0',
      FLOTILLA_LOG_LEVEL: options.logLevel ?? 'info',
      ...(service === 'applier' ? { FLOTILLA_CONTENT_URL: `http://127.0.0.1:${pollerPort}` } : {}),
      ...(options.profileFolder === undefined
        ? {}
        : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${options.profileFolder}` }),
    };
    const program = options.checkout === undefined ? [] : [programOf(options.checkout, service)];
    return new ServiceProcess(service, service, env, join(folder, `${service}.log`), ...program);
  });
  endings.push(() => Promise.all(services.map((service) => service.stop())));
  for (const service of services) service.start();
  return { client, clients, requests, registry, services, redisUrl: redis.url };
}

/**
 * Returns the program that runs a service of a checkout; before programs were bundled it was a file of the
 * app itself.
 */
export function programOf(checkout: string, service: ServiceName): string {
  const bundled = join(checkout, 'dist/programs', `${service}.js`);
  return existsSync(bundled) ? bundled : join(checkout, 'dist/apps', service, 'src/main.js');
}

/** etcd, kube-apiserver, controllers and kwok, with an audit log to count requests in. */
async function real(folder: string, endings: Endings): Promise<Cluster> {
  const policy = join(folder, 'audit-policy.json');
  const log = join(folder, 'audit.log');
  await writeFile(policy, AUDIT_POLICY);
  await writeFile(log, '', { mode: 0o600 });
  const plane = await startControlPlane({
    clusters: 1,
    apiServerArguments: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, '--audit-log-mode=blocking'],
  });
  endings.push(() => plane.stop());
  const [cluster] = plane.clusters;
  if (cluster === undefined) throw new Error('the control plane has no cluster');
  return { kubeconfigPath: cluster.kubeconfigPath, requests: fromAuditLog(log) };
}

async function simulated(count: number, folder: string, endings: Endings): Promise<Cluster> {
  const names = Array.from({ length: count }, (_, n) => `sea-${n + 1}`);
  const fleet = await startSimulatedFleet({ clusters: names });
  endings.push(() => fleet.stop());
  const kubeconfigPath = join(folder, 'kubeconfig');
  await writeFile(kubeconfigPath, fleet.kubeconfig(), { mode: 0o600 });
  return { kubeconfigPath, requests: fromSimulator(fleet.cluster('sea-1')) };
}
