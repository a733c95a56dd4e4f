import { findExecutable } from '../../debian/executable.js';
import { installDebianPackage } from '../../debian/install-package.js';
import { type RedisAccess, readRedisAccess } from '../redis-access.js';
import { pingRedis } from '../redis-connection.js';
import { RedisNotFound } from '../redis-errors.js';
import { withoutCredentials } from '../redis-url.js';
import { findDocker, startDockerRedis } from './docker-redis.js';
import { type LocalRedis, startLocalRedis } from './local-redis.js';
import { redisInstallCommand } from './redis-install-command.js';

const SERVERS = ['redis-server', 'valkey-server'];

export type FindRedisOptions = Readonly<{
  /** Gets one line per step that did not work, and one for the step that did. */
  log: (line: string) => void;
  /**
   * False: starts a separate Redis, never FLOTILLA_REDIS_URL, for tests that flush or kill it. Default true.
   */
  preferExisting?: boolean;
  env?: Readonly<Record<string, string | undefined>>;
}>;

/** Redis with its URL. The URL has the password: use it for connecting, never for printing. */
export type FoundRedis = RedisAccess &
  Readonly<{
    /** Description of the source, for people. */
    how: string;
    /** Stops a Redis that was started here; a Redis that ran before stays. */
    stop(): Promise<void>;
  }>;

type Environment = NonNullable<FindRedisOptions['env']>;

/** A way to a Redis: the Redis, or one line saying why this way is closed here. */
type Way = (env: Environment, log: FindRedisOptions['log']) => Promise<FoundRedis | string>;

const named: Way = async (env) => {
  const address = env['FLOTILLA_REDIS_URL'] || env['REDIS_URL'];
  return address ? namedRedis(address, env) : 'FLOTILLA_REDIS_URL is not set';
};

/**
 * The Redis at an address, with the login that the environment names.
 * @throws RedisUnreachable if it does not answer
 */
export async function namedRedis(address: string, env: Environment): Promise<FoundRedis> {
  const access = await readRedisAccess({
    redisUrl: address,
    redisUser: env['FLOTILLA_REDIS_USER'] ?? '',
    redisPasswordFile: env['FLOTILLA_REDIS_PASSWORD_FILE'] ?? '',
    redisSentinelUser: env['FLOTILLA_REDIS_SENTINEL_USER'] ?? '',
    redisSentinelPasswordFile: env['FLOTILLA_REDIS_SENTINEL_PASSWORD_FILE'] ?? '',
    redisCaFile: env['FLOTILLA_REDIS_CA_FILE'] ?? '',
    redisCertFile: env['FLOTILLA_REDIS_CERT_FILE'] ?? '',
    redisKeyFile: env['FLOTILLA_REDIS_KEY_FILE'] ?? '',
  });
  await pingRedis(access.url, undefined, access.tls); // a Redis that is named is the one that is wanted: no quiet fall-back
  return { ...access, how: `FLOTILLA_REDIS_URL (${withoutCredentials(access.url)})`, stop: async () => undefined };
}

const onPath: Way = async (env) => {
  const binary = SERVERS.map((name) => findExecutable(name, env['PATH'] ?? '')).find((path) => path !== undefined);
  if (binary === undefined) return `neither ${SERVERS.join(' nor ')} is on PATH`;
  return attempt(() => startLocalRedis(binary), `${binary} started here`);
};

const inDocker: Way = async (env) => {
  const docker = await findDocker(env);
  return typeof docker === 'string' ? docker : attempt(() => startDockerRedis(docker), 'a Docker container');
};

const fromDebian: Way = async (env, log) => {
  const failed = await installDebianPackage('redis-server', env, (line) => log(`redis: ${line}`));
  return failed?.because ?? onPath(env, log);
};

/**
 * Returns a Redis for tests and `flotilla demo --distributed`: FLOTILLA_REDIS_URL, otherwise a server on
 * PATH, otherwise Docker, otherwise Debian's package.
 * @throws RedisNotFound naming the ways to get one; RedisUnreachable when the one that was named does not
 * answer
 */
export async function findRedis({
  log,
  preferExisting = true,
  env = process.env,
}: FindRedisOptions): Promise<FoundRedis> {
  const ways = preferExisting ? [named, onPath, inDocker, fromDebian] : [onPath, inDocker, fromDebian];
  const closed: string[] = [];
  for (const way of ways) {
    const answer = await way(env, log);
    if (typeof answer !== 'string') {
      log(`redis: ${answer.how}`);
      return answer;
    }
    closed.push(answer);
    log(`redis: ${answer}`);
  }
  throw new RedisNotFound(closed, redisInstallCommand(env));
}

async function attempt(start: () => Promise<LocalRedis>, how: string): Promise<FoundRedis | string> {
  try {
    const { url, stop } = await start();
    return { url, how: `${how} (${withoutCredentials(url)})`, stop };
  } catch (error) {
    return `${how}: ${lastLine(error)}`;
  }
}

const lastLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1) ?? '';
