import { expect, vi } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { type ConfiguredRedis, type ConfiguredRedisOptions, startConfiguredRedis } from './configured-redis.js';

const PASSWORD = 'password-of-redis';
const SENTINEL_PASSWORD = 'password-of-sentinels';
export const MASTER = 'mymaster';

/** A Redis with a replica, and two Sentinels that put the replica in its place. */
export type SentinelRedis = Readonly<{
  /** Master at the start, then replica at the start. */
  servers: readonly [ConfiguredRedis, ConfiguredRedis];
  sentinels: readonly [ConfiguredRedis, ConfiguredRedis];
  /** `sentinel_password` and the scheme are the caller's. */
  hosts: string;
  password: string;
  sentinelPassword: string;
  /** The server that the Sentinels name as the master. */
  master: () => Promise<ConfiguredRedis | undefined>;
  /** Waits until this server replicates the other. */
  untilReplica: (server: ConfiguredRedis) => Promise<void>;
  stop: () => Promise<void>;
}>;

export type SentinelRedisOptions = Readonly<{
  /** Lines for all servers, such as those for TLS. */
  lines?: readonly string[];
  client?: NonNullable<ConfiguredRedisOptions['client']>;
}>;

export async function startSentinelRedis({
  lines = [],
  client = {},
}: SentinelRedisOptions = {}): Promise<SentinelRedis> {
  const started: ConfiguredRedis[] = [];
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
  };
  const listens = lines.some((line) => line.startsWith('tls-port'));
  const start = async (own: readonly string[], sentinel = false) => {
    const password = sentinel ? SENTINEL_PASSWORD : PASSWORD;
    const server = await startConfiguredRedis({
      lines: [...lines, `requirepass ${password}`, ...own],
      sentinel,
      listens,
      client: { ...client, password },
    });
    started.push(server);
    return server;
  };
  try {
    const first = await start([`masterauth ${PASSWORD}`, 'repl-diskless-sync-delay 0']);
    const replica = [`masterauth ${PASSWORD}`, 'repl-diskless-sync-delay 0', `replicaof 127.0.0.1 ${first.port}`];
    const servers = [first, await start(replica)] as const;
    await untilReplica(servers[1]);
    const watching = [
      `sentinel monitor ${MASTER} 127.0.0.1 ${first.port} 1`,
      `sentinel auth-pass ${MASTER} ${PASSWORD}`,
      `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
      `sentinel down-after-milliseconds ${MASTER} 1000`,
      `sentinel failover-timeout ${MASTER} 6000`,
    ];
    const sentinels = [await start(watching, true), await start(watching, true)] as const;
    await untilWatched(sentinels);
    const master = async () => {
      const answer: unknown = await sentinels[0].admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER);
      return servers.find(({ port }) => Array.isArray(answer) && String(port) === answer[1]);
    };
    const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return {
      servers,
      sentinels,
      hosts,
      password: PASSWORD,
      sentinelPassword: SENTINEL_PASSWORD,
      master,
      untilReplica,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const untilReplica = (server: ConfiguredRedis): Promise<void> =>
  untilInfo(server, 'replication', /^role:slave\r[\s\S]*^master_link_status:up\r/m);

/** Waits until each Sentinel knows the replica and the other Sentinel. None may act before. */
async function untilWatched(sentinels: readonly ConfiguredRedis[]): Promise<void> {
  for (const sentinel of sentinels) await untilInfo(sentinel, 'sentinel', /status=ok.*slaves=1,sentinels=2/);
}

const untilInfo = ({ admin }: ConfiguredRedis, section: string, pattern: RegExp): Promise<void> =>
  vi.waitFor(async () => expect(await admin.info(section)).toMatch(pattern), PATIENCE);
