import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { type DemoEnvironment, type ServicesEnvironment, startEnvironment } from '../environment/demo-environment.js';
import { startOneProcess } from '../environment/one-process.js';
import { ServiceProcess } from '../environment/service-process.js';
import { type DemoReceiver, startDemoReceiver } from './demo-receiver.js';

/** The rings of the demo, and the clusters in each. */
export type Rings = Readonly<Record<string, readonly string[]>>;

/** The simulated clusters of a fleet, its hub's API server, and a hub. */
export type FleetEnvironment = Readonly<{
  environment: DemoEnvironment;
  services: readonly ServiceProcess[];
  rings: Rings;
  clusters: readonly string[];
  kubeconfig: string;
  /** The hub's API server, as its administrator. */
  hub: KubeClient;
  simulated: (name: string) => SimulatedCluster;
  /** Gets the messages of the notifier. */
  receiver: DemoReceiver;
  /** Ends everything that was started. */
  stop: () => Promise<void>;
}>;

/** The context of the hub's API server. */
export const HUB = 'hub';
const DEPLOYMENT_READY_AFTER_MS = 500;
/** Times that are minutes or seconds in production, and must pass while a person waits. */
const SHORT: Readonly<Record<string, string>> = { FLOTILLA_FLEET_SILENCE: '5s', FLOTILLA_SHARD_LEASE: '3s' };

type FleetEnvironmentOptions = Readonly<{
  /** Gets a line for each step of finding a Redis. */
  say: (line: string) => void;
  /** True if there is a web console, too. */
  withConsole?: boolean;
  /** True if the services are processes of their own, with a Redis between them. */
  distributed?: boolean;
}>;

/** Starts everything. */
export async function startFleetEnvironment(rings: Rings, options: FleetEnvironmentOptions): Promise<FleetEnvironment> {
  const endings: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await started(rings, options, endings)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function started(
  rings: Rings,
  { say, withConsole = false, distributed = false }: FleetEnvironmentOptions,
  endings: (() => Promise<unknown>)[],
): Promise<Omit<FleetEnvironment, 'stop'>> {
  const clusters = Object.values(rings).flat();
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-fleet-'));
  endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const fleet: SimulatedFleet = await startSimulatedFleet({
    clusters: [HUB, ...clusters],
    deploymentReadyAfterMs: DEPLOYMENT_READY_AFTER_MS,
  });
  endings.push(() => fleet.stop());
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  const receiver = await startDemoReceiver();
  endings.push(() => receiver.stop());
  const settings = {
    ...{ ...SHORT, FLOTILLA_FLEET: `context:${HUB}`, FLOTILLA_CONTEXTS: clusters.join(',') },
    FLOTILLA_NOTIFICATION_HOSTS: receiver.host,
  };
  const options = { kubeconfigs: [kubeconfig], settings, withConsole };
  const inProcesses = distributed ? await startEnvironment({ ...options, resolvers: 1, say }) : undefined;
  const environment = inProcesses ?? (await startOneProcess(options));
  endings.push(() => environment.stop());
  const ofFleet = { ...settings, FLOTILLA_KUBECONFIG: kubeconfig };
  const more = inProcesses === undefined ? [] : startFleetServices(folder, inProcesses, ofFleet, endings);
  const hub = environment.clients.find(({ cluster }) => cluster === HUB);
  if (hub === undefined) throw new RangeError(`there is no context ${HUB}`);
  return {
    ...{ environment, rings, clusters, kubeconfig, hub, receiver },
    services: [...environment.services, ...more],
    simulated: (name) => fleet.cluster(name),
  };
}

/** Starts the services that a hub has only with a fleet. */
function startFleetServices(
  folder: string,
  { redis, redisPrefix }: ServicesEnvironment,
  settings: Readonly<Record<string, string>>,
  endings: (() => Promise<unknown>)[],
): readonly ServiceProcess[] {
  const ofRedis = { FLOTILLA_REDIS_URL: redis.url, FLOTILLA_REDIS_PREFIX: redisPrefix };
  return [
    startService('fleet-controller', folder, { ...settings, FLOTILLA_FLEET_CONTROLLER_PORT: '0' }, endings),
    startService('notifier', folder, { ...settings, ...ofRedis, FLOTILLA_NOTIFIER_PORT: '0' }, endings),
  ];
}

function startService(
  name: 'fleet-controller' | 'notifier',
  folder: string,
  env: Readonly<Record<string, string>>,
  endings: (() => Promise<unknown>)[],
): ServiceProcess {
  const content = { FLOTILLA_CONTENT_DIR: join(folder, 'content', name) };
  const service = new ServiceProcess(name, name, { ...env, ...content }, join(folder, `${name}.log`));
  endings.push(() => service.stop());
  service.start();
  return service;
}
