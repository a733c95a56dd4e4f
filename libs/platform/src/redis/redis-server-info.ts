import type { Redis } from 'ioredis';

/** Facts that Redis reports in its answer to INFO. A field is undefined if the answer does not have it. */
export type RedisServerInfo = Readonly<{
  /** Another one after each start of the server. */
  runId?: string;
  /** The history of its data: another one each time that it was put in the place of a master. */
  replicationId?: string;
  /** The field `redis_version`. A Valkey reports there the Redis version that it is compatible with. */
  version?: string;
  clusterMode: boolean;
  usedBytes?: number;
  /** Value of `maxmemory`; 0: no limit. */
  maxBytes?: number;
  /** Value of `maxmemory-policy`. */
  evictionPolicy?: string;
}>;

export const NOTHING_KNOWN: RedisServerInfo = { clusterMode: false };

/** The first one that takes SET with NX and GET, EXPIRE with LT, and rights to read keys alone. */
const OLDEST_MAJOR = 7;
/** Part of maxmemory from which Redis counts as nearly full. */
const NEARLY_FULL = 0.9;
const MEBIBYTE = 2 ** 20;

/**
 * Reads an answer, whole or of some sections. Fields that the answer does not have keep their known values.
 */
export function readServerInfo(answer: string, known: RedisServerInfo = NOTHING_KNOWN): RedisServerInfo {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(answer)?.[1];
  const count = (name: string) => (field(name) === undefined ? undefined : Number(field(name)));
  const [runId, cluster, policy] = [field('run_id'), field('cluster_enabled'), field('maxmemory_policy')];
  const replicationId = field('master_replid');
  const version = field('redis_version');
  const [usedBytes, maxBytes] = [count('used_memory'), count('maxmemory')];
  return {
    ...known,
    ...(runId !== undefined && { runId }),
    ...(replicationId !== undefined && { replicationId }),
    ...(version !== undefined && { version }),
    ...(cluster !== undefined && { clusterMode: cluster === '1' }),
    ...(usedBytes !== undefined && { usedBytes }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(policy !== undefined && { evictionPolicy: policy }),
  };
}

/**
 * Returns a text that changes if the data may lack the last writes: after a restart and after each fail-over.
 * This includes a fail-over to another server and back, which the run id alone does not show.
 */
export const historyOf = ({ runId, replicationId }: RedisServerInfo): string => `${runId} ${replicationId}`;

/** Asks for the memory. Returns the known facts if Redis is unreachable or does not let this user ask. */
export async function askServerInfo(redis: Redis, known: RedisServerInfo): Promise<RedisServerInfo> {
  if (redis.status !== 'ready') return known;
  return readServerInfo(await redis.info('memory').catch(() => ''), known);
}

/** Returns the reason the hub does not work with a Redis in Cluster mode. Undefined for any other. */
export const clusterModeRefusal = ({ clusterMode }: RedisServerInfo): string | undefined =>
  clusterMode
    ? 'runs in Cluster mode, but Flotilla changes several keys in one step, and a Cluster refuses that (CROSSSLOT): ' +
      'use a Redis without Cluster mode (cluster-enabled no), or one behind Sentinels (redis+sentinel://), in ' +
      'FLOTILLA_REDIS_URL'
    : undefined;

/**
 * Returns the reason the hub does not work with a Redis that is too old. Undefined if its version is new
 * enough or unknown.
 */
export function versionRefusal({ version = '' }: RedisServerInfo): string | undefined {
  const major = Number.parseInt(version, 10);
  if (Number.isNaN(major) || major >= OLDEST_MAJOR) return undefined;
  return `is version ${version}, but Flotilla needs ${OLDEST_MAJOR}.0 or newer: set FLOTILLA_REDIS_URL to a newer Redis`;
}

/** Returns the reason the hub does not work with this Redis, independent of its memory. */
export const unusableText = (info: RedisServerInfo): string | undefined =>
  versionRefusal(info) ?? clusterModeRefusal(info);

/** Returns the reason this Redis may remove jobs by itself, with advice. Undefined if it does not. */
export function evictionRefusal({ maxBytes = 0, evictionPolicy = 'noeviction' }: RedisServerInfo): string | undefined {
  if (maxBytes === 0 || evictionPolicy === 'noeviction') return undefined;
  return (
    `maxmemory-policy is ${evictionPolicy}: Redis removes keys when its ${mebibytes(maxBytes)} (maxmemory) are used, ` +
    'and jobs may be lost. Set maxmemory-policy noeviction (CONFIG SET and redis.conf, or the parameters of a managed Redis)'
  );
}

/** Returns how full Redis is, with advice, for a Redis that refuses writes since its memory is used. */
export function fullText({ usedBytes, maxBytes = 0 }: RedisServerInfo): string {
  const used = usedBytes === undefined || maxBytes === 0 ? '' : ` (${mebibytes(usedBytes)} of ${mebibytes(maxBytes)})`;
  return (
    `OOM, memory is full${used}: raise maxmemory of Redis (docs/sizing.md). ` +
    'Nothing is lost: work continues once there is room'
  );
}

/**
 * Returns the warning of a Redis that is nearly full. Returns undefined while enough memory is free, or if
 * there is no limit.
 */
export function nearlyFullText({ usedBytes = 0, maxBytes = 0 }: RedisServerInfo): string | undefined {
  if (maxBytes === 0 || usedBytes < NEARLY_FULL * maxBytes) return undefined;
  return `memory is nearly full (${mebibytes(usedBytes)} of ${mebibytes(maxBytes)}): raise maxmemory of Redis (docs/sizing.md)`;
}

const mebibytes = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
