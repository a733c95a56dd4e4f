import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { applierLogins } from '#testing/control-plane/applier-logins';
import { freePorts } from '#testing/control-plane/free-ports';
import { type ServiceName, ServiceProcess } from '../../../apps/cli/src/commands/demo/environment/service-process.js';
import { QUICK } from '../quick-environment.js';

/** One simulated cluster and the three services at work on it, each a process that can be killed. */
export type KillEnvironment = Readonly<{
  cluster: SimulatedCluster;
  /** Prefix of the keys in Redis. */
  prefix: string;
  service(name: ServiceName): ServiceProcess;
  /** The last lines that each service logged. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}>;

const SERVICES: readonly ServiceName[] = ['catalog-poller', 'resolver-worker', 'applier'];
const SETTINGS = { ...QUICK, FLOTILLA_JOB_LOCK_DURATION: '1s', FLOTILLA_LOG_LEVEL: 'debug' };

/** `own`: the Redis of a service that is not to have the same as the others. */
export async function startKillEnvironment(
  redisUrl: string,
  own: Readonly<Partial<Record<ServiceName, string>>> = {},
): Promise<KillEnvironment> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-kill-'));
  const fleet = await startSimulatedFleet({ clusters: ['east'], deploymentReadyAfterMs: 20 });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  const [client] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'test' });
  if (client === undefined) throw new Error('the fleet has no cluster');
  await serveKnownCrds(client, fleet.cluster(client.cluster));
  await client.close();
  const [applierKubeconfig = ''] = await applierLogins([kubeconfig], folder);
  const [pollerPort = 0] = await freePorts(1);
  const prefix = `kill-${folder.slice(-6)}`;
  const services = new Map(
    SERVICES.map((name) => {
      const env = {
        ...SETTINGS,
        FLOTILLA_KUBECONFIG: name === 'applier' ? applierKubeconfig : kubeconfig,
        FLOTILLA_REDIS_URL: own[name] ?? redisUrl,
        FLOTILLA_REDIS_PREFIX: prefix,
        FLOTILLA_CONTENT_DIR: join(folder, 'content', name),
        FLOTILLA_CATALOG_POLLER_PORT: String(pollerPort),
        FLOTILLA_CONTENT_URL: `http://127.0.0.1:${pollerPort}`,
        FLOTILLA_RESOLVER_WORKER_PORT: '0',
        FLOTILLA_APPLIER_PORT: '0',
      };
      return [name, new ServiceProcess(name, name, env, join(folder, `${name}.log`))] as const;
    }),
  );
  for (const service of services.values()) service.start();
  return {
    cluster: fleet.cluster('east'),
    prefix,
    service: (name) => {
      const found = services.get(name);
      if (found === undefined) throw new Error(`there is no ${name}`);
      return found;
    },
    logs: async () => {
      const tails = [...services.values()].map(async (one) => `--- ${one.name}\n${await one.tail(25)}`);
      return (await Promise.all(tails)).join('\n');
    },
    stop: async () => {
      await Promise.all([...services.values()].map((service) => service.stop('SIGKILL')));
      await fleet.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
