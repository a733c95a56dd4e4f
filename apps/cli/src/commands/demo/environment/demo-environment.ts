import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { afterThisProcess } from '#platform/processes/watchdog';
import { findRedis } from '#platform/redis/local/find-redis';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { freePorts } from '#testing/control-plane/free-ports';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { type DemoConsole, demoConsole, proofFiles } from './demo-console.js';
import type { Put } from './sample-images.js';
import { type ServiceName, ServiceProcess } from './service-process.js';

/** An image registry that takes images under references without host. */
export type EnvironmentRegistry = Readonly<{ host: string; put: Put }>;

/** The environment of a demo: clusters, a registry, and a hub. */
export type DemoEnvironment = Readonly<{
  clients: readonly KubeClient[];
  registry: EnvironmentRegistry;
  /** The processes of the hub. */
  services: readonly ServiceProcess[];
  /** The place of work between the services, for people. */
  workWaits: string;
  /** Present if a console was requested. */
  console?: DemoConsole | undefined;
  kubeconfigs: readonly string[];
  /** Kubernetes API servers in this process take the place of real ones. */
  simulated: boolean;
  /** Ends everything that was started, whatever state it is in. */
  stop(): Promise<void>;
}>;

/** A hub with one process for each service, and a Redis between them. */
export type ServicesEnvironment = DemoEnvironment &
  Readonly<{
    console?: Required<DemoConsole> | undefined;
    redis: Readonly<{ url: string; how: string }>;
    /** Prefix of all keys in that Redis. */
    redisPrefix: string;
    /** Kubeconfigs of the applier. */
    applierKubeconfigs: readonly string[];
  }>;

/** Clusters and registry of an environment, and the settings of the hub's processes. */
export type GroundOptions = Readonly<{
  /** Kubeconfigs with the clusters to use; without any, two are simulated. */
  kubeconfigs?: readonly string[];
  /** A registry that exists already is used, and stays. */
  registry?: EnvironmentRegistry;
  /** Additional settings for all services. */
  settings?: Readonly<Record<string, string>>;
  /** Time until a simulated Deployment is available. */
  deploymentReadyAfterMs?: number;
  /** True if there is a web console, too. */
  withConsole?: boolean;
}>;

export type EnvironmentOptions = GroundOptions &
  Readonly<{
    redis?: ServicesEnvironment['redis'];
    /** Gets a line for each step of finding a Redis. */
    say?: (line: string) => void;
    /** Additional settings for one service. */
    settingsOf?: (service: ServiceName) => Readonly<Record<string, string>>;
    /** Makes kubeconfigs of the applier in a folder. Default: it has those of the environment. */
    applierLogins?: (kubeconfigs: readonly string[], folder: string) => Promise<readonly string[]>;
    /** Prefix of all keys in Redis. Default: a prefix that nothing else has. */
    redisPrefix?: string;
    /** Number of resolver workers. Default: 2. */
    resolvers?: number;
    /** Number of appliers that share the clusters. Default: 1. */
    appliers?: number;
    /** The ports of the pollers, which share the clusters. Default: one poller, at any free port. */
    pollerPorts?: readonly number[];
  }>;

const SIMULATED_CLUSTERS = ['east', 'west'] as const;

type ServicePlan = Readonly<{ name: string; service: ServiceName; env?: Readonly<Record<string, string>> }>;
const severalOf = (service: ServiceName, count: number): ServicePlan[] =>
  Array.from({ length: count }, (_, index) => ({ name: index === 0 ? service : `${service}-${index + 1}`, service }));
const servicesWith = (pollerPorts: readonly number[], resolvers: number, appliers: number): readonly ServicePlan[] => [
  ...severalOf('catalog-poller', pollerPorts.length).map((poller, index) => ({
    ...poller,
    env: { FLOTILLA_CATALOG_POLLER_PORT: String(pollerPorts[index]) },
  })),
  ...Array.from({ length: resolvers }, (_, index): ServicePlan => {
    return { name: `resolver-worker-${index + 1}`, service: 'resolver-worker' };
  }),
  ...severalOf('applier', appliers),
];

/**
 * The services notice that this process is gone, and end within three seconds; until then they write there.
 */
const REMOVE_LATER = 'sleep 4; rm -rf "$1"';

type Endings = (() => Promise<unknown> | unknown)[];

/** Sets everything up and starts the services, without further options one poller and one applier. */
export const startEnvironment = (options: EnvironmentOptions = {}): Promise<ServicesEnvironment> =>
  onGround(options, async (ground, endings) => {
    const { folder, kubeconfigs } = ground;
    const { settings = {}, settingsOf = () => ({}), resolvers = 2, appliers = 1 } = options;
    const redisPrefix = options.redisPrefix ?? `environment-${folder.slice(-6)}`;
    const redis = options.redis ?? (await startRedis(options, endings));
    const pollerPorts = options.pollerPorts ?? (await freePorts(1));
    const shared = servicesSettings(kubeconfigs, redis.url, redisPrefix, pollerPorts[0] ?? 0);
    const applierKubeconfigs = (await options.applierLogins?.(kubeconfigs, folder)) ?? kubeconfigs;
    const applier = { FLOTILLA_KUBECONFIG: applierKubeconfigs.join(':') };
    const services = servicesWith(pollerPorts, resolvers, appliers).map(({ name, service, env }) =>
      serviceProcess(folder, name, service, {
        ...shared,
        ...(service === 'applier' ? applier : {}),
        ...proofFiles(folder),
        ...env,
        ...settings,
        ...settingsOf(service),
      }),
    );
    endings.push(() => Promise.all(services.map((service) => service.stop())));
    for (const service of services) service.start();
    const console = await startConsole(folder, { redis, redisPrefix, ...options }, endings);
    return { redis, redisPrefix, applierKubeconfigs, services, console, workWaits: `in Redis: ${redis.how}` };
  });

/** Clusters and registry of a hub, with the folder of its files. */
type Ground = Pick<DemoEnvironment, 'clients' | 'registry' | 'kubeconfigs' | 'simulated'> &
  Readonly<{ folder: string }>;

/** Sets up clusters and a registry, and starts a hub on them. */
export async function onGround<H>(
  options: GroundOptions,
  startHub: (ground: Ground, endings: Endings) => Promise<H>,
): Promise<H & Ground & Pick<DemoEnvironment, 'stop'>> {
  const { kubeconfigs: named = [] } = options;
  // The watchdog starts at once: this process can never end and leave the folder behind.
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-'));
  const watchdog = afterThisProcess(REMOVE_LATER, [folder]);
  const endings: Endings = [
    () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
    () => watchdog.kill('SIGKILL'),
  ];
  const stop = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    const registry = options.registry ?? (await startOwnRegistry(endings));
    const simulated = named.length === 0;
    const kubeconfigs = simulated ? [await simulate(folder, options, endings)] : named;
    const clients = await loadClusters({ kubeconfigs, fieldManager: 'flotilla-demo' });
    endings.push(() => Promise.all(clients.map((client) => client.close())));
    const ground = { folder, registry, clients, kubeconfigs, simulated };
    return { ...ground, ...(await startHub(ground, endings)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startRedis(
  { say = () => undefined }: EnvironmentOptions,
  endings: Endings,
): Promise<ServicesEnvironment['redis']> {
  const redis = await findRedis({ log: say });
  endings.push(() => redis.stop());
  return redis;
}

async function startConsole(
  folder: string,
  { redis, redisPrefix, withConsole = false }: Pick<ServicesEnvironment, 'redis' | 'redisPrefix'> & EnvironmentOptions,
  endings: Endings,
): Promise<Required<DemoConsole> | undefined> {
  if (!withConsole) return undefined;
  const console = await demoConsole(folder, { url: redis.url, prefix: redisPrefix });
  endings.push(() => console.service.stop());
  console.service.start();
  return console;
}

async function startOwnRegistry(endings: Endings): Promise<EnvironmentRegistry> {
  const registry = await startRegistry();
  endings.push(() => registry.stop());
  return registry;
}

async function simulate(folder: string, options: GroundOptions, endings: Endings): Promise<string> {
  const { deploymentReadyAfterMs = 700 } = options;
  const fleet = await startSimulatedFleet({ clusters: SIMULATED_CLUSTERS, deploymentReadyAfterMs });
  endings.push(() => fleet.stop());
  const file = join(folder, 'kubeconfig');
  await writeFile(file, fleet.kubeconfig(), { mode: 0o600 });
  return file;
}

const servicesSettings = (
  kubeconfigs: readonly string[],
  redisUrl: string,
  redisPrefix: string,
  pollerPort: number,
): Record<string, string> => ({
  FLOTILLA_KUBECONFIG: kubeconfigs.join(':'),
  FLOTILLA_REDIS_URL: redisUrl,
  FLOTILLA_REDIS_PREFIX: redisPrefix,
  FLOTILLA_CATALOG_POLLER_PORT: String(pollerPort),
  FLOTILLA_CONTENT_URL: `http://127.0.0.1:${pollerPort}`,
  FLOTILLA_RESOLVER_WORKER_PORT: '0',
  FLOTILLA_APPLIER_PORT: '0',
});

function serviceProcess(
  folder: string,
  name: string,
  service: ServiceName,
  shared: Readonly<Record<string, string>>,
): ServiceProcess {
  const env = { ...shared, FLOTILLA_CONTENT_DIR: join(folder, 'content', name) };
  return new ServiceProcess(name, service, env, join(folder, `${name}.log`));
}
