import { join } from 'node:path';
import type { HubIdentity } from '#core/cluster/joining/cluster-owner';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { authenticatedAreas } from '#core/kernel/http-access/http-area';
import type { Clock } from '../clock/clock.port.js';
import { SystemClock } from '../clock/system-clock.js';
import type { Settings } from '../config/settings.js';
import type { ContentStore } from '../content/content-store.port.js';
import { DiskContentStore } from '../content/disk-content-store.js';
import { DiskProvenance } from '../content/disk-provenance.js';
import { HttpContentStore } from '../content/http-content-store.js';
import { WorkRoom } from '../content/work-room.js';
import { Lanes } from '../fairness/lanes.js';
import { buildInfo } from '../files/build-info.js';
import { HttpAccess, hubAuthorization } from '../http/http-access.js';
import { ServingTls } from '../http/serving-tls.js';
import { TokenList } from '../http/token-list.js';
import { TokenReviewer } from '../http/token-reviewer.js';
import type { HubKey } from '../keys/hub-key.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { type Queues, readableQueues } from '../queue/queues.js';
import type { RedisAccess } from '../redis/redis-access.js';
import { BundlePulls } from '../registry/bundle-pulls.js';
import type { RegistryClient } from '../registry/client/registry-client.port.js';
import { outboundPolicyOf, registryLimitsOf } from '../registry/configured-limits.js';
import { configuredRegistryClient } from '../registry/configured-registry-client.js';
import { EndedImages } from '../registry/image/ended-images.js';
import { FailedPulls } from '../registry/image/failed-pulls.js';
import type { ExtensionProblems, ProblemStore } from '../store/problem-store.port.js';
import type { Log } from '../telemetry/log.port.js';
import { Metrics } from '../telemetry/metrics/metrics.js';
import { RefusedValues } from '../telemetry/metrics/refused-values.js';
import { openTracer } from '../telemetry/tracing/open-tracer.js';
import type { Tracer } from '../telemetry/tracing/tracer.port.js';
import { hubIdentity } from './hub-identity.js';
import type { HubStore } from './hub-store.js';
import { CLAIMS_FILE } from './kept-claims.js';
import { memoryHubStore } from './memory-hub-store.js';
import { redisHubStore } from './redis-hub-store.js';

/** The poller serves content to all other services, and must not ask itself. */
const CONTENT_SERVER = 'catalog-poller';

/** Parts of every process: settings, time, log, metrics, and the access rules of HTTP. */
export type ServiceFrame = Readonly<{
  settings: Settings;
  log: Log;
  clock: Clock;
  metrics: Metrics;
  /** Access rules for HTTP clients. */
  access: HttpAccess;
  /** The certificate for HTTPS; absent: plain HTTP. */
  tls?: ServingTls;
  /** Absent: traces are off. */
  tracer?: Tracer;
}>;

/** The parts that every service of the hub uses: made once per process, shared by all services in it. */
export type Hub = ServiceFrame &
  Readonly<{
    /** The name of the process. */
    service: string;
    refused: RefusedValues;
    store: HubStore;
    /** Parts of the store that most callers use. */
    queues: Queues;
    problems: ProblemStore;
    extensionProblems: ProblemStore<ExtensionProblems>;
    content: ContentStore;
    /** Room for images that are being unpacked; counts in the size of the content cache. */
    workRoom: WorkRoom;
    registry: RegistryClient;
    bundlePulls: BundlePulls;
    /** Images that ended the thread that read them. */
    endedImages: EndedImages;
    /** The key of a process that observes or acts. */
    key: HubKey | undefined;
    /** The hub's identity in its clusters. Absent if it could keep none. */
    identity?: HubIdentity;
    /** Tells apart hubs with the same identity. */
    instance?: HubStore['instance'];
    close(): Promise<void>;
  }>;

type HubOptions = Readonly<{
  /** Names the process: its folder of the content cache is private to it. */
  service: string;
  settings: Settings;
  log: Log;
  /** Redis of the hub; `memory` if this process is the whole hub. */
  store: RedisAccess | 'memory';
  /** The key of a process that observes or acts; a resolver has none. */
  key?: HubKey;
  /** Called, before anything is sent there, if the hub cannot work with this Redis. */
  onUnusableRedis?: (error: FlotillaError) => void;
}>;

/** Opens the parts of a process that need no Redis. Connects to nothing. */
export async function openFrame(settings: Settings, log: Log, key?: HubKey): Promise<ServiceFrame> {
  const clock = new SystemClock();
  const files = { certFile: settings.httpTlsCertFile, keyFile: settings.httpTlsKeyFile };
  const tls = await ServingTls.open(files, { clock, log });
  const metrics = new Metrics({ clusterLimit: settings.metricsClusterLimit });
  const access = await httpAccess({ settings, log, clock, ...(key && { key }) });
  return { settings, log, clock, metrics, access, ...(tls && { tls }) };
}

/** Opens the hub's store (without waiting for Redis) and this process's content cache. */
export async function openHub(options: HubOptions): Promise<Hub> {
  const { service, settings, log, key } = options;
  const folder = join(settings.contentDir, service);
  const { disk, workRoom } = await openCache(folder, settings, log);
  const frame = await openFrame(settings, log, key);
  const { clock, metrics, tls } = frame;
  const tracer = await openTracer({
    ...{ endpoint: settings.otlpEndpoint, headers: settings.otlpHeaders, clock, log, metrics },
    resourceAttributes: settings.otlpResourceAttributes,
  });
  const endedImages = await EndedImages.open(join(folder, 'ended-images.json'), boundsOf(settings));
  metrics.watchEndedImages(() => endedImages.asked.length);
  const registry = await configuredRegistryClient(settings, {
    store: disk,
    provenance: new DiskProvenance(join(folder, 'provenance')),
    policy: outboundPolicyOf(settings),
    failedPulls: new FailedPulls(Date.now, undefined, endedImages),
    onPolicyProblem: (problem) =>
      log.error({ problem }, 'could not read the signature policy: refusing all content that it may concern'),
  });
  const refused = new RefusedValues(log, metrics, clock);
  const identity = key === undefined ? undefined : await hubIdentity(settings, key);
  // Last, since a failure after it would leave an open connection, and the process would not end.
  const store = openStore(options, frame, refused);
  const bundlePulls = new BundlePulls(registry, bundleLanes(settings, metrics));
  return {
    ...frame,
    service,
    refused,
    store,
    queues: store.queues,
    problems: store.problems,
    extensionProblems: store.extensionProblems,
    content: service === CONTENT_SERVER ? disk : contentOf(settings, disk, key),
    workRoom,
    registry,
    bundlePulls,
    endedImages,
    ...(tracer && { tracer }),
    key,
    ...(identity && { identity, instance: store.instance }),
    close: async () => {
      tls?.stop();
      bundlePulls.stop();
      store.close();
    },
  };
}

/** Returns version and bounds in one text: images that ended a thread under other bounds are tried again. */
function boundsOf(settings: Settings): string {
  const { version, commit } = buildInfo();
  return canonicalJson([version, commit ?? null, registryLimitsOf(settings)]);
}

/** Opens the store. The metrics count jobs of the queues that this process may read. */
function openStore(
  { service, settings, log, store: place, key, onUnusableRedis }: HubOptions,
  { clock, metrics }: ServiceFrame,
  refused: RefusedValues,
): HubStore {
  const common = { settings, clock, log, metrics };
  const claimsPath = join(settings.contentDir, service, CLAIMS_FILE);
  const store =
    place === 'memory'
      ? memoryHubStore(common)
      : redisHubStore({ ...common, access: place, refused, key, claimsPath, onUnusableRedis });
  metrics.watchQueues(readableQueues(store.queues, service, key !== undefined));
  return store;
}

/** Opens the content cache on disk. It makes room for images that are being unpacked. */
async function openCache(folder: string, settings: Settings, log: Log) {
  const workRoom = new WorkRoom(settings.contentMaxBytes / 2, () => void disk.makeRoom().catch(roomFailed));
  const roomFailed = (error: unknown) => log.warn({ error }, 'could not drop content to make room');
  const disk = await DiskContentStore.open(folder, {
    maxBytes: settings.contentMaxBytes,
    otherBytes: () => workRoom.bytes,
    log,
  });
  return { disk, workRoom };
}

/** Bundles are small: longer pulls move to the slow lane, with half of the bounds. */
const BUNDLE_FIRST_MS = 5_000;

function bundleLanes(settings: Settings, { lanes }: Metrics): Lanes {
  const { pullConcurrency: total, pullsPerCluster: perCluster, pullsPerNamespace: perNamespace } = settings;
  const half = (count: number) => Math.max(1, Math.floor(count / 2));
  const slow = { total: half(total), perCluster: half(perCluster), perNamespace: half(perNamespace) };
  return new Lanes({
    first: lanes.limiter('bundle', { total, perCluster, perNamespace }),
    slow: lanes.limiter('bundle-slow', slow),
    firstMs: BUNDLE_FIRST_MS,
  });
}

/** Returns the cache on disk, with the poller behind it if the poller's address is known. */
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
  const apiServer = httpTokenReview ? await ownApiServer() : undefined;
  return new HttpAccess({
    areas: authenticatedAreas(httpAuthenticated, bindAddress),
    ...(httpTokensFile === '' ? {} : { tokens: new TokenList(httpTokensFile, log) }),
    ...(apiServer === undefined ? {} : { reviewer: new TokenReviewer(apiServer, clock, log) }),
    ...(key === undefined ? {} : { key }),
  });
}

/**
 * Returns a client of this process's own cluster. Loaded late: a resolver does without clients of clusters.
 */
async function ownApiServer(): Promise<KubeClient | undefined> {
  const { inClusterAccess, loadClusters } = await import('../kube/access/load-clusters.js');
  const [client] = await loadClusters({ access: [inClusterAccess()], fieldManager: 'flotilla-http' });
  return client;
}
