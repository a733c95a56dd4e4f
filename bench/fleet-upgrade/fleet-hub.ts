import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { findRedis } from '#platform/redis/local/find-redis';
import { freePorts } from '#testing/control-plane/free-ports';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { type ServiceName, ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import type { Trouble } from '../isolation/troubles.js';
import { programOf } from '../lifecycle/lifecycle-environment.js';
import { SimulatedClusters } from './simulated-clusters.js';

/** How many clusters and processes there are. */
export type FleetSize = Readonly<{ clusters: number; operators: number; pollers: number; appliers: number }>;

export type FleetHubOptions = Readonly<{
  size: FleetSize;
  /** The clusters lack OLM's kinds. */
  bare: boolean;
  /** Another checkout, built: its services run. */
  checkout?: string | undefined;
  profileFolder?: string | undefined;
  /** Arguments of Node for the services. */
  nodeOptions?: string | undefined;
  /** Services write their memory after a garbage collection when they get SIGUSR2. */
  reportsMemory?: boolean | undefined;
  /** Further appliers; they run during the upgrade only. */
  spareAppliers?: number;
  /** Beside the healthy clusters of the size; nothing is wrong with them before they are asked for it. */
  troubled?: readonly Trouble[];
  /** Namespaces of a wide cluster. */
  namespaces?: number;
  /** The API server with the fleet's objects: a fleet controller runs, too. */
  fleetHub?: Readonly<{ context: string; kubeconfig: string }>;
}>;

/** Simulated clusters, a registry in this process, Redis, and services that are not started yet. */
export type FleetHub = Readonly<{
  clusters: SimulatedClusters;
  registry: InMemoryRegistry;
  redis: Redis;
  services: readonly ServiceProcess[];
  /** Returns the file that a service of that name writes its memory to. */
  memoryFile: (service: string) => string;
  /** Not started together with the others. */
  spareAppliers: readonly ServiceProcess[];
  stop: () => Promise<void>;
}>;

type Endings = (() => Promise<unknown> | unknown)[];

export async function prepareFleetHub(options: FleetHubOptions): Promise<FleetHub> {
  const endings: Endings = [];
  const stop = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await build(options, endings)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function build(options: FleetHubOptions, endings: Endings): Promise<Omit<FleetHub, 'stop'>> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-fleet-'));
  endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const { url } = await findRedis({ log: () => undefined, preferExisting: false }).then((found) => {
    endings.push(() => found.stop());
    return found;
  });
  const redis = new Redis(url);
  endings.push(() => redis.disconnect());
  const registry = await startRegistry();
  endings.push(() => registry.stop());
  const { clusters, kubeconfigs } = await SimulatedClusters.start({
    ...options,
    count: options.size.clusters,
    nodeArguments: profiling(options),
  });
  endings.push(() => clusters.stop());
  const paths = kubeconfigs.map((_, index) => join(folder, `kubeconfig-${index + 1}`));
  for (const [index, path] of paths.entries()) await writeFile(path, kubeconfigs[index] ?? '', { mode: 0o600 });
  const ports = await freePorts(options.size.pollers);
  const fleet = options.fleetHub === undefined ? {} : await fleetSettings(options.fleetHub, folder, clusters.names);
  if (options.fleetHub !== undefined) paths.push(join(folder, FLEET_HUB_FILE));
  const place = { folder, redisUrl: url, kubeconfig: paths.join(delimiter), ports, fleet };
  const services = servicesOf(options, place);
  endings.push(() => Promise.all(services.map((service) => service.stop())));
  const known = services.length - (options.spareAppliers ?? 0);
  return {
    ...{ clusters, registry, redis },
    services: services.slice(0, known),
    spareAppliers: services.slice(known),
    memoryFile: (service) => memoryFileIn(folder, service),
  };
}

const profiling = ({ profileFolder }: FleetHubOptions): readonly string[] =>
  profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];

const memoryFileIn = (folder: string, service: string): string => join(folder, `${service}.memory.json`);
const REPORT_MEMORY = join(PROJECT_ROOT, 'dist', 'bench', 'fleet-upgrade', 'report-memory.process.js');

const FLEET_HUB_FILE = 'kubeconfig-fleet';

/** Returns the settings of services for a fleet: the hub API is none of its clusters. */
async function fleetSettings(
  { context, kubeconfig }: NonNullable<FleetHubOptions['fleetHub']>,
  folder: string,
  clusters: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  await writeFile(join(folder, FLEET_HUB_FILE), kubeconfig, { mode: 0o600 });
  return { FLOTILLA_FLEET: `context:${context}`, FLOTILLA_CONTEXTS: clusters.join(',') };
}

type Place = Readonly<{
  folder: string;
  redisUrl: string;
  kubeconfig: string;
  ports: readonly number[];
  fleet: Readonly<Record<string, string>>;
}>;

function servicesOf(options: FleetHubOptions, place: Place): ServiceProcess[] {
  const { folder, redisUrl, kubeconfig, ports, fleet } = place;
  const { pollers } = options.size;
  const appliers = options.size.appliers + (options.spareAppliers ?? 0);
  const nodeOptions = [
    ...(options.nodeOptions === undefined ? [] : [options.nodeOptions]),
    ...profiling(options),
    ...(options.reportsMemory === true ? [`--import=${REPORT_MEMORY}`] : []),
  ].join(' ');
  const service = (kind: Exclude<ServiceProcess['service'], 'console' | 'flotilla'>, index: number): ServiceProcess => {
    const name = index === 0 ? kind : `${kind}-${index + 1}`;
    const env = {
      FLOTILLA_KUBECONFIG: kubeconfig,
      FLOTILLA_REDIS_URL: redisUrl,
      FLOTILLA_CONTENT_DIR: join(folder, 'content', name),
      FLOTILLA_CATALOG_POLLER_PORT: String(kind === 'catalog-poller' ? ports[index] : ports[0]),
      FLOTILLA_RESOLVER_WORKER_PORT: '0',
      FLOTILLA_APPLIER_PORT: '0',
      FLOTILLA_FLEET_CONTROLLER_PORT: '0',
      ...fleet,
      FLOTILLA_LOG_LEVEL: 'info',
      ...(kind === 'applier' ? { FLOTILLA_CONTENT_URL: `http://127.0.0.1:${ports[0]}` } : {}),
      ...(options.reportsMemory === true ? { FLOTILLA_BENCH_MEMORY: memoryFileIn(folder, name) } : {}),
      ...(nodeOptions === '' ? {} : { NODE_OPTIONS: nodeOptions }),
    };
    const { checkout } = options;
    const program =
      checkout === undefined || kind === 'fleet-controller' || kind === 'notifier' ? [] : [programOf(checkout, kind)];
    return new ServiceProcess(name, kind, env, join(folder, `${name}.log`), ...program);
  };
  const several = (kind: ServiceName, count: number) => Array.from({ length: count }, (_, n) => service(kind, n));
  return [
    ...several('catalog-poller', pollers),
    service('resolver-worker', 0),
    ...(options.fleetHub === undefined ? [] : [service('fleet-controller', 0)]),
    ...several('applier', appliers),
  ];
}
