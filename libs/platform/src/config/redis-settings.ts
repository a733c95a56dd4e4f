import { path, text } from './setting.js';

const REDIS = {
  pattern: /^$|^rediss?(\+sentinel)?:\/\/[^\s]+$/,
  wants:
    'a URL such as redis://user:password@host:6379, rediss:// for TLS, or redis+sentinel://host-1:26379,host-2:26379/master',
  secret: true,
  aliases: ['REDIS_URL'],
};

const USER = { pattern: /^[^\s]{0,128}$/, wants: 'the name of a user' };

/** Settings of the connection to Redis, and of the prefix of its keys. */
export const redisSettings = {
  redisUrl: text(
    '',
    'Where Redis is: `redis://HOST:PORT/DB`, `rediss://` for TLS, `redis+sentinel://HOST:PORT,HOST:PORT/MASTER/DB` and `rediss+sentinel://` for Sentinels. Empty: a service takes `redis://127.0.0.1:6379`, `flotilla up` keeps what waits in the memory of its process',
    REDIS,
  ),
  redisUser: text('', 'User of Redis, which takes the place of one in the URL; empty and none there: `default`', USER),
  redisPasswordFile: path(
    '',
    'File with the password of Redis, which takes the place of one in the URL. Read at the start',
  ),
  redisSentinelUser: text(
    '',
    'User of the Sentinels, if it differs from the user of Redis; in the URL: `?sentinel_username=`',
    USER,
  ),
  redisSentinelPasswordFile: path(
    '',
    'File with the password of the Sentinels, if they need one; in the URL: `?sentinel_password=`. Read at the start',
  ),
  redisCaFile: path(
    '',
    'PEM file with authorities to trust for Redis and Sentinels besides those that Node.js trusts, if the URL begins with `rediss`. Read at the start',
  ),
  redisCertFile: path('', 'PEM file with the client certificate for Redis. Read at the start'),
  redisKeyFile: path('', 'PEM file with the key of that certificate. Read at the start'),
  redisPrefix: text('flotilla', 'Before all keys in Redis', {
    pattern: /^[A-Za-z0-9_{}-]{1,64}$/,
    wants: 'letters, digits, -, _ and {}',
  }),
} as const;
