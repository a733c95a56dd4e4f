import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { freePorts } from '#testing/control-plane/free-ports';
import type { InMemoryRegistry } from '#testing/registry/in-memory-registry';
import { type ServiceName, ServiceProcess } from '../../../apps/cli/src/commands/demo/environment/service-process.js';
import { QUICK } from '../../story/quick-environment.js';
import { type RestartableRedis, startRestartableRedis } from '../../story/restartable-redis.js';
import { ChaosCluster } from './chaos-cluster.js';
import { ContentDisk } from './content-disk.js';
import { SupervisedServices } from './supervised-services.js';

/** A hub, its clusters and their surroundings. Each part can be disturbed. */
export type ChaosHub = Readonly<{
  folder: string;
  clusters: readonly ChaosCluster[];
  registry: InMemoryRegistry;
  /** Absent: the hub is one process. */
  redis?: RestartableRedis;
  services: SupervisedServices;
  disk: ContentDisk;
  /** Sets the clock of a service that many milliseconds ahead. */
  shiftClock: (service: string, aheadMs: number) => Promise<void>;
  /** File of the memory snapshot that a service writes after a garbage collection, at SIGUSR2. */
  memoryFile: (service: string) => string;
  stop: () => Promise<void>;
}>;

const KINDS: readonly ServiceName[] = ['catalog-poller', 'resolver-worker', 'applier'];
const OF_EACH = 2;
const ONE_PROCESS = 'hub';
/** Form of a hub: two processes of each service with a Redis, or one process for all services. */
export type HubForm = 'services' | 'one process';

export const serviceNames = (form: HubForm): readonly string[] =>
  form === 'one process'
    ? [ONE_PROCESS]
    : KINDS.flatMap((kind) => Array.from({ length: OF_EACH }, (_, index) => `${kind}-${index + 1}`));
export const REDIS_PREFIX = 'chaos';
const PRELOADED = [
  join(PROJECT_ROOT, 'dist', 'bench', 'fleet-upgrade', 'report-memory.process.js'),
  join(PROJECT_ROOT, 'dist', 'test', 'chaos', 'hub', 'shift-clock.process.js'),
];

/**
 * Waits of seconds in place of minutes; and no plan fails because its steps could not be done for a while, as
 * they do in OLM: with such a limit the end would depend on how long the faults of one cluster lasted.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  ...QUICK,
  FLOTILLA_KUBE_REQUEST_TIMEOUT: '5s',
  FLOTILLA_INSTALL_PLAN_RETRY_TIMEOUT: '1h',
  FLOTILLA_BUNDLE_UNPACK_TIMEOUT: '0',
  FLOTILLA_REGISTRY_REQUEST_TIMEOUT: '5s',
  FLOTILLA_REGISTRY_STALL_TIMEOUT: '5s',
  FLOTILLA_LOG_LEVEL: 'info',
};

/** The services are not started yet. `names`: of the clusters. */
export async function startChaosHub(
  names: readonly string[],
  registry: InMemoryRegistry,
  form: HubForm,
): Promise<ChaosHub> {
  const endings: (() => Promise<unknown> | unknown)[] = [];
  const stop = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-chaos-'));
    endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const redis = form === 'services' ? await startRestartableRedis() : undefined;
    endings.push(() => redis?.stop());
    const clusters: ChaosCluster[] = [];
    endings.push(() => Promise.all(clusters.map((cluster) => cluster.stop())));
    for (const name of names) clusters.push(await ChaosCluster.start(name, folder));
    const kubeconfigs = clusters.map(({ kubeconfigPath }) => kubeconfigPath);
    const memoryFile = (service: string) => join(folder, `${service}.memory.json`);
    const place = { folder, kubeconfigs, memoryFile };
    const services = new SupervisedServices(
      await (redis === undefined ? oneProcess(place) : processes(place, redis.url)),
    );
    const disk = ContentDisk.make(join(folder, 'content'));
    endings.push(() => disk.remove());
    endings.push(() => services.stop());
    const shiftClock = (service: string, aheadMs: number) => writeFile(clockFileIn(folder, service), String(aheadMs));
    return { folder, clusters, registry, ...(redis && { redis }), services, disk, shiftClock, memoryFile, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const clockFileIn = (folder: string, service: string): string => join(folder, `${service}.clock`);

type Place = Readonly<{
  folder: string;
  kubeconfigs: readonly string[];
  memoryFile: ChaosHub['memoryFile'];
}>;

const disturbable = ({ folder, memoryFile }: Place, name: string): Record<string, string> => ({
  FLOTILLA_CONTENT_DIR: join(folder, 'content', name),
  FLOTILLA_BENCH_MEMORY: memoryFile(name),
  FLOTILLA_TEST_CLOCK_FILE: clockFileIn(folder, name),
  NODE_OPTIONS: PRELOADED.map((file) => `--import=${file}`).join(' '),
});

async function oneProcess(place: Place): Promise<readonly ServiceProcess[]> {
  const { folder, kubeconfigs } = place;
  const [port = 0, consolePort = 0] = await freePorts(2);
  const env = {
    ...SETTINGS,
    FLOTILLA_REDIS_URL: '',
    FLOTILLA_CLUSTERS_FILE: join(folder, 'clusters.yaml'),
    FLOTILLA_CONSOLE_PORT: String(consolePort),
    FLOTILLA_CONSOLE_KEY_FILE: join(folder, 'console-key'),
    ...disturbable(place, ONE_PROCESS),
  };
  const args = ['up', '--verbose', '--port', String(port), ...kubeconfigs.flatMap((file) => ['--kubeconfig', file])];
  return [new ServiceProcess(ONE_PROCESS, 'flotilla', env, join(folder, `${ONE_PROCESS}.log`), undefined, args)];
}

async function processes(place: Place, redisUrl: string): Promise<readonly ServiceProcess[]> {
  const { folder, kubeconfigs } = place;
  const ports = await freePorts(OF_EACH);
  return KINDS.flatMap((kind) =>
    ports.map((port, index) => {
      const name = `${kind}-${index + 1}`;
      const env = {
        ...SETTINGS,
        FLOTILLA_KUBECONFIG: kubeconfigs.join(delimiter),
        FLOTILLA_REDIS_URL: redisUrl,
        FLOTILLA_REDIS_PREFIX: REDIS_PREFIX,
        FLOTILLA_CATALOG_POLLER_PORT: String(kind === 'catalog-poller' ? port : ports[0]),
        FLOTILLA_RESOLVER_WORKER_PORT: '0',
        FLOTILLA_APPLIER_PORT: '0',
        ...(kind === 'applier' ? { FLOTILLA_CONTENT_URL: `http://127.0.0.1:${ports[0]}` } : {}),
        ...disturbable(place, name),
      };
      return new ServiceProcess(name, kind, env, join(folder, `${name}.log`));
    }),
  );
}

/** The Redis of a hub that has one. @throws RangeError */
export function redisOf({ redis }: ChaosHub): RestartableRedis {
  if (redis === undefined) throw new RangeError('a hub that is one process has no Redis');
  return redis;
}

/** One command to Redis, from outside of the hub. */
export async function askRedis<T>(hub: ChaosHub, ask: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(redisOf(hub).url, { maxRetriesPerRequest: 100 });
  redis.on('error', () => undefined);
  try {
    return await ask(redis);
  } finally {
    redis.disconnect();
  }
}
