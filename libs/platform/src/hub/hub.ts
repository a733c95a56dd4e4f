import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { authenticatedAreas } from '#core/http-access/http-area';
import type { Clock } from '../clock/clock.port.js';
import { SystemClock } from '../clock/system-clock.js';
import { outboundPolicyOf } from '../config/registry-limits.js';
import type { Settings } from '../config/settings.js';
import { HttpAccess, hubAuthorization } from '../http-access/http-access.js';
import { TokenList } from '../http-access/token-list.js';
import { TokenReviewer } from '../http-access/token-reviewer.js';
import { inClusterAccess, loadClusters } from '../kube/load-clusters.js';
import { type Queues, redisQueues } from '../queue/queues.js';
import { openRedis } from '../redis/redis-connection.js';
import { configuredRegistryClient } from '../registry/configured-registry-client.js';
import { FailedPulls } from '../registry/image/failed-pulls.js';
import type { RegistryClient } from '../registry/registry-client.port.js';
import type { ContentStore } from '../store/content-store.port.js';
import { DiskContentStore } from '../store/disk-content-store.js';
import { DiskProvenance } from '../store/disk-provenance.js';
import { HttpContentStore } from '../store/http-content-store.js';
import type { ExtensionProblems, ProblemStore } from '../store/problem-store.port.js';
import { RedisProblemStore, type RedisProblemStoreOptions } from '../store/redis-problem-store.js';
import { type HealthCheck, redisCheck } from '../telemetry/health-check.js';
import type { Log } from '../telemetry/log.port.js';
import { Metrics } from '../telemetry/metrics.js';
import type { HubKey } from './hub-key.js';

/** Serves content to all others, and so must not ask itself. */
const CONTENT_SERVER = 'catalog-poller';

/** What every service of the hub stands on: made once per process, shared by all that run in it. */
export type Hub = Readonly<{
  settings: Settings;
  log: Log;
  clock: Clock;
  metrics: Metrics;
  redis: Redis;
  redisHealth: HealthCheck;
  queues: Queues;
  problems: ProblemStore;
  extensionProblems: ProblemStore<ExtensionProblems>;
  content: ContentStore;
  registry: RegistryClient;
  /** Who may read what over HTTP. */
  access: HttpAccess;
  close(): Promise<void>;
}>;

export type HubOptions = Readonly<{
  /** Names the process: its folder of the content cache is private to it. */
  service: string;
  settings: Settings;
  log: Log;
  redisUrl: string;
  /** Of a process that observes or acts; a resolver has none. */
  key?: HubKey;
}>;

/** Connects to Redis (without waiting for it) and opens this process's content cache. */
export async function openHub({ service, settings, log, redisUrl, key }: HubOptions): Promise<Hub> {
  const clock = new SystemClock();
  const metrics = new Metrics({ clusterLimit: settings.metricsClusterLimit });
  const { redis, trouble } = openRedis(redisUrl, log);
  const queues = redisQueues({
    redis,
    log,
    prefix: settings.redisPrefix,
    lockDurationMs: settings.jobLockDuration,
    stalledIntervalMs: settings.jobStalledInterval,
    backoff: { firstMs: settings.jobRetryFirst, longestMs: settings.jobRetryLongest },
    onFinished: (job) => metrics.jobFinished(job),
  });
  metrics.watchQueues(Object.values(queues));
  const folder = join(settings.contentDir, service);
  const disk = await DiskContentStore.open(folder, {
    maxBytes: settings.contentMaxBytes,
    log,
  });
  const stored: RedisProblemStoreOptions = {
    ...storeOptions(settings),
    ...(key === undefined ? {} : { key }),
    onForged: (cluster, what) => {
      log.error({ cluster, what }, 'a value in Redis is refused: it does not come from the poller of this hub');
      metrics.valueRefused(cluster, what);
    },
  };
  return {
    settings,
    log,
    clock,
    metrics,
    redis,
    redisHealth: redisCheck(redis, { prefix: settings.redisPrefix, trouble }),
    queues,
    problems: new RedisProblemStore(redis, stored),
    extensionProblems: new RedisProblemStore<ExtensionProblems>(redis, {
      ...stored,
      prefix: `${settings.redisPrefix}:extensions`,
    }),
    content: service === CONTENT_SERVER ? disk : contentOf(settings, disk, key),
    registry: await configuredRegistryClient(settings, {
      store: disk,
      provenance: new DiskProvenance(join(folder, 'provenance')),
      policy: outboundPolicyOf(settings),
      failedPulls: new FailedPulls(),
    }),
    access: await httpAccess({ settings, log, clock, ...(key && { key }) }),
    close: async () => {
      redis.disconnect();
    },
  };
}

const storeOptions = (settings: Settings): RedisProblemStoreOptions => ({
  prefix: settings.redisPrefix,
  ttlSeconds: Math.round(settings.storeTtl / 1_000),
  maxValueBytes: settings.storeMaxValueBytes,
});

/** The cache on disk, behind it the poller where its address is known. */
function contentOf(settings: Settings, cache: ContentStore, key: HubKey | undefined): ContentStore {
  if (settings.contentUrl === '') return cache;
  return new HttpContentStore({
    baseUrl: settings.contentUrl,
    cache,
    maxBytes: settings.contentMaxBlobBytes,
    ...(key === undefined ? {} : { authorization: (path: string) => hubAuthorization(key, path) }),
  });
}

async function httpAccess({
  settings,
  log,
  clock,
  key,
}: Pick<HubOptions, 'settings' | 'log' | 'key'> & Readonly<{ clock: Clock }>): Promise<HttpAccess> {
  const { httpAuthenticated, bindAddress, httpTokensFile, httpTokenReview } = settings;
  const [apiServer] = httpTokenReview
    ? await loadClusters({ access: [inClusterAccess()], fieldManager: 'flotilla-http' })
    : [];
  return new HttpAccess({
    areas: authenticatedAreas(httpAuthenticated, bindAddress),
    ...(httpTokensFile === '' ? {} : { tokens: new TokenList(httpTokensFile, log) }),
    ...(apiServer === undefined ? {} : { reviewer: new TokenReviewer(apiServer, clock, log) }),
    ...(key === undefined ? {} : { key }),
  });
}
