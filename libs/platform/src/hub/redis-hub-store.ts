import type { FlotillaError } from '#core/kernel/errors/flotilla.error';
import type { Clock } from '../clock/clock.port.js';
import type { Settings } from '../config/settings.js';
import { RedisUsedProofs } from '../console/proof/redis-used-proofs.js';
import { RedisActionReceiver, RedisActionSender } from '../console/redis-action-channel.js';
import { RedisAuditTrail } from '../console/redis-audit-trail.js';
import { RedisQuestionAsker, RedisQuestionReceiver } from '../console/redis-question-channel.js';
import { RedisSessionStore } from '../console/redis-session-store.js';
import { HubKey } from '../keys/hub-key.js';
import { RedisLeases } from '../ownership/redis-leases.js';
import { redisQueues } from '../queue/queues.js';
import type { RedisAccess } from '../redis/redis-access.js';
import { redisCheck } from '../redis/redis-check.js';
import { openRedis } from '../redis/redis-connection.js';
import { watchRedisEpoch } from '../redis/redis-epoch.js';
import { askServerInfo, historyOf } from '../redis/redis-server-info.js';
import { ScriptWatchdog } from '../redis/script-watchdog.js';
import type { ExtensionProblems } from '../store/problem-store.port.js';
import { RedisProblemStore, type RedisProblemStoreOptions } from '../store/redis-problem-store.js';
import type { Log } from '../telemetry/log.port.js';
import type { Metrics } from '../telemetry/metrics/metrics.js';
import type { RefusedValues } from '../telemetry/metrics/refused-values.js';
import { RedisHubReports } from '../view/redis-hub-reports.js';
import { RedisViewReader } from '../view/redis-view-reader.js';
import { RedisViewWriter } from '../view/redis-view-writer.js';
import { redisInstance } from './hub-instance.js';
import type { HubStore } from './hub-store.js';
import { redisClaims } from './kept-claims.js';

/**
 * An older observation must be repeated before the applier acts on it: an attacker may have kept it. With
 * more frequent resyncs the limit is two of them.
 */
const OLDEST_OBSERVATION_MS = 30 * 60_000;
const RESYNCS_OF_AN_OBSERVATION = 2;
const SLOW_RESYNC_MS = 300_000;

type RedisHubStoreOptions = Readonly<{
  access: RedisAccess;
  settings: Settings;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  refused: RefusedValues;
  /** The key of a process that observes or acts; a resolver has none. */
  key: HubKey | undefined;
  /** File of this process with the claims of clusters to identities. */
  claimsPath: string;
  /** Called before any command if the hub cannot work with this Redis. */
  onUnusableRedis?: ((error: FlotillaError) => void) | undefined;
}>;

/** The store in Redis, by one connection. Does not wait for it; the metrics show how it is. */
export function redisHubStore(options: RedisHubStoreOptions): HubStore {
  const { access, settings, clock, log, metrics, key, claimsPath, onUnusableRedis } = options;
  // Resolvers and the console have no right to end scripts of others.
  const scripts = key && new ScriptWatchdog({ ...access, log });
  const { redis, trouble, rights, refusals, serverInfo } = openRedis(
    access.url,
    log,
    access.tls,
    onUnusableRedis,
    (error) => scripts?.note(error),
  );
  const { redisPrefix: prefix, shards } = settings;
  const queues = redisQueues({
    ...{ redis, log, prefix, shards },
    lockDurationMs: settings.jobLockDuration,
    stalledIntervalMs: settings.jobStalledInterval,
    backoff: { firstMs: settings.jobRetryFirst, longestMs: settings.jobRetryLongest },
    onFinished: (job) => metrics.jobFinished(job),
    onError: (error) => rights.note(error),
  });
  metrics.watchRedis({ refusals: () => refusals.counts, memory: () => askServerInfo(redis, serverInfo()) });
  const stored = problemOptions(options);
  // Another server after a fail-over may lack the last writes, and one that refused writes lacks them.
  const losses = () => `${historyOf(serverInfo())} ${refusals.ofWrites}`;
  const instance = redisInstance(redis, prefix);
  const claims = redisClaims({ redis, prefix, path: claimsPath, key: key ?? HubKey.random(), clock, log });
  return {
    queues,
    problems: new RedisProblemStore(redis, stored),
    extensionProblems: new RedisProblemStore<ExtensionProblems>(redis, { ...stored, prefix: `${prefix}:extensions` }),
    leases: (service) => new RedisLeases(redis, { prefix, role: service, shards }),
    reports: new RedisHubReports(redis, prefix),
    view: new RedisViewWriter(redis, prefix),
    viewReader: () => new RedisViewReader(redis, prefix),
    actionSender: new RedisActionSender(redis, prefix),
    actionReceiver: () => new RedisActionReceiver({ redis, prefix, clock, log }),
    questionAsker: new RedisQuestionAsker({ redis, prefix, clock }),
    questionReceiver: () => new RedisQuestionReceiver({ redis, prefix, clock, log }),
    usedProofs: (reader) => new RedisUsedProofs({ redis, prefix, clock, reader }),
    sessions: new RedisSessionStore(redis, prefix),
    trail: new RedisAuditTrail(redis, prefix),
    instance,
    claims,
    check: redisCheck(redis, { prefix, trouble, missingRight: () => rights.text, serverInfo }),
    watchLosses: (onEmptied) => {
      // A process that starts before the instance is back would take another one, and then wait in each
      // cluster.
      const putBack = async () => {
        await Promise.all([instance.putBack(), claims.putBack()]);
        await onEmptied();
      };
      return watchRedisEpoch({ redis, clock, log, losses, prefix, onEmptied: putBack });
    },
    close: () => redis.disconnect(),
  };
}

const problemOptions = ({ settings, key, refused }: RedisHubStoreOptions): RedisProblemStoreOptions => ({
  prefix: settings.redisPrefix,
  ttlSeconds: Math.round(settings.storeTtl / 1_000),
  maxValueBytes: settings.storeMaxValueBytes,
  observationMaxAgeMs:
    Math.min(RESYNCS_OF_AN_OBSERVATION * settings.resyncInterval, OLDEST_OBSERVATION_MS) + SLOW_RESYNC_MS,
  ...(key === undefined ? {} : { key }),
  onRefused: (cluster, what, count) => refused.note({ cluster, what, count }),
});
