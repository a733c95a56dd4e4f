import { InvalidRedisUrl } from './redis-errors.js';

const SENTINEL_PORT = 26_379;
const HIGHEST_PORT = 65_535;
const SENTINEL = /^(rediss?)\+sentinel:\/\/(?:([^/?#]*)@)?([^@/?#]*)\/?([^?#]*)(?:\?([^#]*))?$/;
const HOST = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;
const OPTIONS: readonly string[] = ['sentinel_username', 'sentinel_password'];

/** User and password; an empty text: none. */
export type RedisLogin = Readonly<{ user: string; password: string }>;

/**
 * Sentinels that know the address of a Redis: `redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/MASTER/DB`,
 * with `sentinel_username` and `sentinel_password` as options, and `rediss+sentinel://` for TLS to Redis and
 * Sentinels. The login before the hosts is that of Redis.
 */
export type SentinelUrl = Readonly<{
  tls: boolean;
  hosts: readonly Readonly<{ host: string; port: number }>[];
  /** Name of the Redis in the Sentinels. */
  master: string;
  db: number;
  redis: RedisLogin;
  sentinel: RedisLogin;
}>;

const isSentinel = (url: string): boolean => /^rediss?\+sentinel:/.test(url);

/**
 * Reads a URL of Sentinels. Returns undefined for a URL of Redis itself.
 * @throws InvalidRedisUrl, without the text
 */
export function parseSentinelUrl(url: string): SentinelUrl | undefined {
  if (!isSentinel(url)) return undefined;
  const [, scheme, login = '', hosts = '', path = '', query = ''] = SENTINEL.exec(url) ?? [];
  if (scheme === undefined) throw new InvalidRedisUrl();
  const [master = '', db = '0', ...rest] = path.split('/');
  if (master === '') throw new InvalidRedisUrl('the name of the master is missing after the Sentinels');
  if (rest.length > 0 || !/^\d{1,5}$/.test(db)) throw new InvalidRedisUrl('the database is not a number');
  const options = new URLSearchParams(query);
  const unknown = [...options.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new InvalidRedisUrl(`of its options only ${OPTIONS.join(' and ')} are known`);
  const [user = '', ...password] = login.split(':');
  return {
    tls: scheme === 'rediss',
    hosts: hosts.split(',').map(hostOf),
    master: decoded(master),
    db: Number(db),
    redis: { user: decoded(user), password: decoded(password.join(':')) },
    sentinel: { user: options.get('sentinel_username') ?? '', password: options.get('sentinel_password') ?? '' },
  };
}

function hostOf(text: string): SentinelUrl['hosts'][number] {
  const [, host, port = String(SENTINEL_PORT)] = HOST.exec(text) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > HIGHEST_PORT)
    throw new InvalidRedisUrl('its Sentinels are not HOST:PORT with commas between them');
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidRedisUrl('write % as %25');
  }
}

/**
 * Reads the URL of Redis itself.
 * @throws InvalidRedisUrl, without the text: it may hold a password
 */
export function parseRedisUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['redis:', 'rediss:'].includes(parsed.protocol) || parsed.hostname === '') {
    throw new InvalidRedisUrl();
  }
  return parsed;
}

/** The URL without users and passwords, fit for logs and messages. @throws InvalidRedisUrl */
export const withoutCredentials = (url: string): string => {
  const none = { user: '', password: '' };
  const sentinels = parseSentinelUrl(url);
  return sentinels === undefined ? withLogin(url, none) : sentinelText({ ...sentinels, redis: none, sentinel: none });
};

/** The URL with another user, another password, or both, for Redis. @throws InvalidRedisUrl */
export function withLogin(url: string, login: Partial<RedisLogin>): string {
  const sentinels = parseSentinelUrl(url);
  if (sentinels !== undefined) return sentinelText({ ...sentinels, redis: { ...sentinels.redis, ...login } });
  const parsed = parseRedisUrl(url);
  if (login.user !== undefined) parsed.username = encodeURIComponent(login.user);
  if (login.password !== undefined) parsed.password = encodeURIComponent(login.password);
  return parsed.href;
}

/**
 * Adds the login of the Sentinels to the URL.
 * @throws InvalidRedisUrl, also if the URL names no Sentinels
 */
export function withSentinelLogin(url: string, login: Partial<RedisLogin>): string {
  const sentinels = parseSentinelUrl(url);
  if (sentinels === undefined) throw new InvalidRedisUrl('a login for Sentinels is set, and the URL names none');
  return sentinelText({ ...sentinels, sentinel: { ...sentinels.sentinel, ...login } });
}

/**
 * True if the connection uses TLS.
 * @throws InvalidRedisUrl
 */
export const speaksTls = (url: string): boolean =>
  parseSentinelUrl(url)?.tls ?? parseRedisUrl(url).protocol === 'rediss:';

/** The user of Redis. @throws InvalidRedisUrl */
export const userOf = (url: string): string =>
  (parseSentinelUrl(url)?.redis.user ?? decodeURIComponent(parseRedisUrl(url).username)) || 'default';

function sentinelText({ tls, hosts, master, db, redis, sentinel }: SentinelUrl): string {
  const login = redis.user === '' && redis.password === '' ? '' : `${text(redis.user)}:${text(redis.password)}@`;
  const where = hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
  const options = { sentinel_username: sentinel.user, sentinel_password: sentinel.password };
  const given = Object.entries(options).filter(([, value]) => value !== '');
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `${tls ? 'rediss' : 'redis'}+sentinel://${login}${where}/${text(master)}${db === 0 ? '' : `/${db}`}${query}`;
}

const text = encodeURIComponent;
