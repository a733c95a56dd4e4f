import { findExecutable } from '../debian/executable.js';
import { installDebianPackage, whyNotInstallable } from '../debian/install-package.js';
import { findDocker, startDockerRedis } from './docker-redis.js';
import { type LocalRedis, startLocalRedis } from './local-redis.js';
import { type RedisAccess, readRedisAccess } from './redis-access.js';
import { pingRedis } from './redis-connection.js';
import { RedisNotFound } from './redis-errors.js';
import { redisInstallCommand } from './redis-install-command.js';
import { withoutCredentials } from './redis-url.js';

const SERVERS = ['redis-server', 'valkey-server'];

export type FindRedisOptions = Readonly<{
  /** Gets one line per step that did not work, and one for the step that did. */
  log: (line: string) => void;
  /**
   * False: starts a Redis of its own, never FLOTILLA_REDIS_URL, for tests that flush or kill it. Default
   * true.
   */
  preferExisting?: boolean;
  env?: Readonly<Record<string, string | undefined>>;
}>;

/** Its URL has the password: for connecting, never for printing. */
export type FoundRedis = RedisAccess &
  Readonly<{
    /** Where it came from, for people. */
    how: string;
    /** Ends what was started; a Redis that was there before stays. */
    stop(): Promise<void>;
  }>;

type Environment = NonNullable<FindRedisOptions['env']>;

/** A way to a Redis. */
type Way = Readonly<{
  name: 'named' | 'server' | 'docker' | 'apt-get';
  /** Returns in one line why this way is closed here, or undefined. Starts nothing. */
  whyNot: (env: Environment) => Promise<string | undefined>;
  /** Returns the Redis, or one line about why it did not start. */
  start: (env: Environment, log: FindRedisOptions['log']) => Promise<FoundRedis | string>;
}>;

const addressIn = (env: Environment): string | undefined => env['FLOTILLA_REDIS_URL'] || env['REDIS_URL'] || undefined;

const serverOn = (env: Environment): string | undefined =>
  SERVERS.map((name) => findExecutable(name, env['PATH'] ?? '')).find((path) => path !== undefined);

async function openNamed(env: Environment): Promise<FoundRedis> {
  const address = addressIn(env) ?? '';
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

/**
 * The Redis at an address, with the login that the environment names.
 * @throws RedisUnreachable if it does not answer
 */
export const namedRedis = (address: string, env: Environment): Promise<FoundRedis> =>
  openNamed({ ...env, FLOTILLA_REDIS_URL: address });

const NO_SERVER = `neither ${SERVERS.join(' nor ')} is on PATH`;

async function startServer(env: Environment): Promise<FoundRedis | string> {
  const binary = serverOn(env);
  return binary === undefined ? NO_SERVER : attempt(() => startLocalRedis(binary), `${binary} started here`);
}

const WAYS: readonly Way[] = [
  {
    name: 'named',
    whyNot: async (env) => (addressIn(env) === undefined ? 'FLOTILLA_REDIS_URL is not set' : undefined),
    start: openNamed,
  },
  {
    name: 'server',
    whyNot: async (env) => (serverOn(env) === undefined ? NO_SERVER : undefined),
    start: startServer,
  },
  {
    name: 'docker',
    whyNot: async (env) => {
      const docker = await findDocker(env);
      return typeof docker === 'string' ? docker : undefined;
    },
    start: async (env) => {
      const docker = await findDocker(env);
      return typeof docker === 'string' ? docker : attempt(() => startDockerRedis(docker), 'a Docker container');
    },
  },
  {
    name: 'apt-get',
    whyNot: async (env) => whyNotInstallable('redis-server', env),
    start: async (env, log) => {
      const failed = await installDebianPackage('redis-server', env, (line) => log(`redis: ${line}`));
      return failed?.because ?? startServer(env);
    },
  },
];

/** The way that `findRedis` takes first on this machine; without one, why each is closed. */
export type FirstWay = Readonly<{ name: Way['name']; program?: string | undefined }> | Readonly<{ closed: string[] }>;

/** Looks for a way to a Redis as `findRedis` does, and starts nothing. */
export async function firstWayToRedis(env: Environment): Promise<FirstWay> {
  const closed: string[] = [];
  for (const { name, whyNot } of WAYS) {
    const because = await whyNot(env);
    if (because === undefined) return { name, ...(name === 'server' ? { program: serverOn(env) } : {}) };
    closed.push(because);
  }
  return { closed };
}

/**
 * A Redis for tests and `flotilla demo --distributed`: FLOTILLA_REDIS_URL, else a server on PATH, else
 * Docker, else Debian's package.
 * @throws RedisNotFound naming the ways to get one; RedisUnreachable when the one that
 * was named does not answer
 */
export async function findRedis({
  log,
  preferExisting = true,
  env = process.env,
}: FindRedisOptions): Promise<FoundRedis> {
  const ways = preferExisting ? WAYS : WAYS.filter(({ name }) => name !== 'named');
  const closed: string[] = [];
  for (const { whyNot, start } of ways) {
    const answer = (await whyNot(env)) ?? (await start(env, log));
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
