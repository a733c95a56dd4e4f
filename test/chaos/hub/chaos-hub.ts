import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { freePorts } from '#testing/control-plane/free-ports';
import type { InMemoryRegistry } from '#testing/registry/in-memory-registry';
import { type ServiceName, ServiceProcess } from '../../../apps/cli/src/demo/service-process.js';
import { QUICK } from '../../story/quick-environment.js';
import { type RestartableRedis, startRestartableRedis } from '../../story/restartable-redis.js';
import { ChaosCluster } from './chaos-cluster.js';
import { ContentDisk } from './content-disk.js';
import { SupervisedServices } from './supervised-services.js';

/** A hub, its clusters, and all that they need, each part of which can be disturbed. */
export type ChaosHub = Readonly<{
  folder: string;
  clusters: readonly ChaosCluster[];
  registry: InMemoryRegistry;
  redis: RestartableRedis;
  services: SupervisedServices;
  disk: ContentDisk;
  /** Sets the clock of a service that many milliseconds ahead. */
  shiftClock: (service: string, aheadMs: number) => Promise<void>;
  /** Where a service writes its memory after a garbage collection, at SIGUSR2. */
  memoryFile: (service: string) => string;
  stop: () => Promise<void>;
}>;

const KINDS: readonly ServiceName[] = ['catalog-poller', 'resolver-worker', 'applier'];
const OF_EACH = 2;
export const SERVICE_NAMES: readonly string[] = KINDS.flatMap((kind) =>
  Array.from({ length: OF_EACH }, (_, index) => `${kind}-${index + 1}`),
);
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
export async function startChaosHub(names: readonly string[], registry: InMemoryRegistry): Promise<ChaosHub> {
  const endings: (() => Promise<unknown> | unknown)[] = [];
  const stop = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-chaos-'));
    endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const redis = await startRestartableRedis();
    endings.push(() => redis.stop());
    const clusters: ChaosCluster[] = [];
    endings.push(() => Promise.all(clusters.map((cluster) => cluster.stop())));
    for (const name of names) clusters.push(await ChaosCluster.start(name, folder));
    const kubeconfig = clusters.map(({ kubeconfigPath }) => kubeconfigPath).join(delimiter);
    const memoryFile = (service: string) => join(folder, `${service}.memory.json`);
    const services = new SupervisedServices(await processes({ folder, kubeconfig, redisUrl: redis.url, memoryFile }));
    const disk = ContentDisk.make(join(folder, 'content'));
    endings.push(() => disk.remove());
    endings.push(() => services.stop());
    const shiftClock = (service: string, aheadMs: number) => writeFile(clockFileIn(folder, service), String(aheadMs));
    return { folder, clusters, registry, redis, services, disk, shiftClock, memoryFile, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const clockFileIn = (folder: string, service: string): string => join(folder, `${service}.clock`);

type Place = Readonly<{
  folder: string;
  kubeconfig: string;
  redisUrl: string;
  memoryFile: ChaosHub['memoryFile'];
}>;

async function processes({ folder, kubeconfig, redisUrl, memoryFile }: Place): Promise<readonly ServiceProcess[]> {
  const ports = await freePorts(OF_EACH);
  return KINDS.flatMap((kind) =>
    ports.map((port, index) => {
      const name = `${kind}-${index + 1}`;
      const env = {
        ...SETTINGS,
        FLOTILLA_KUBECONFIG: kubeconfig,
        FLOTILLA_REDIS_URL: redisUrl,
        FLOTILLA_REDIS_PREFIX: REDIS_PREFIX,
        FLOTILLA_CONTENT_DIR: join(folder, 'content', name),
        FLOTILLA_CATALOG_POLLER_PORT: String(kind === 'catalog-poller' ? port : ports[0]),
        FLOTILLA_RESOLVER_WORKER_PORT: '0',
        FLOTILLA_APPLIER_PORT: '0',
        ...(kind === 'applier' ? { FLOTILLA_CONTENT_URL: `http://127.0.0.1:${ports[0]}` } : {}),
        FLOTILLA_BENCH_MEMORY: memoryFile(name),
        FLOTILLA_TEST_CLOCK_FILE: clockFileIn(folder, name),
        NODE_OPTIONS: PRELOADED.map((file) => `--import=${file}`).join(' '),
      };
      return new ServiceProcess(name, kind, env, join(folder, `${name}.log`));
    }),
  );
}

/** One command to Redis, from outside of the hub. */
export async function askRedis<T>({ url }: RestartableRedis, ask: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { maxRetriesPerRequest: 100 });
  redis.on('error', () => undefined);
  try {
    return await ask(redis);
  } finally {
    redis.disconnect();
  }
}
