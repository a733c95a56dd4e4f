import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { whyUnreadable } from '../files/unreadable-file.js';
import { UnusableRedisAccess } from './redis-errors.js';
import type { RedisTls } from './redis-options.js';
import { passwordIn } from './redis-password.js';
import { type RedisLogin, speaksTls, withLogin, withSentinelLogin } from './redis-url.js';

/** How Redis is reached. The URL may hold users and passwords: it is never logged. */
export type RedisAccess = Readonly<{ url: string; tls?: RedisTls }>;

/** Settings of Redis, with the meaning of the settings of these names. */
export type RedisAccessSettings = Readonly<{
  redisUrl: string;
  redisUser: string;
  redisPasswordFile: string;
  redisSentinelUser: string;
  redisSentinelPasswordFile: string;
  redisCaFile: string;
  redisCertFile: string;
  redisKeyFile: string;
}>;

/**
 * Returns the URL with users and passwords, and the TLS settings.
 * @throws InvalidRedisUrl, UnusableRedisAccess, UnusableRedisPassword if a file cannot be used; none holds a
 * secret
 */
export async function readRedisAccess(settings: RedisAccessSettings): Promise<RedisAccess> {
  const { redisUser, redisPasswordFile, redisSentinelUser, redisSentinelPasswordFile } = settings;
  const redis = login(redisUser, await passwordIn(redisPasswordFile, 'FLOTILLA_REDIS_PASSWORD_FILE'));
  const sentinel = login(
    redisSentinelUser,
    await passwordIn(redisSentinelPasswordFile, 'FLOTILLA_REDIS_SENTINEL_PASSWORD_FILE'),
  );
  const named = withLogin(settings.redisUrl, redis);
  const url = Object.keys(sentinel).length === 0 ? named : withSentinelLogin(named, sentinel);
  const tls = await readTls(settings);
  if (tls === undefined) return { url };
  if (!speaksTls(url)) {
    throw new UnusableRedisAccess(
      'files for TLS are set, but the URL of Redis begins with redis: write rediss:// (rediss+sentinel://)',
    );
  }
  return { url, tls };
}

const login = (user: string, password: string | undefined): Partial<RedisLogin> => ({
  ...(user !== '' && { user }),
  ...(password !== undefined && { password }),
});

async function readTls(settings: RedisAccessSettings): Promise<RedisTls | undefined> {
  const ca = await readPem('FLOTILLA_REDIS_CA_FILE', settings.redisCaFile);
  const cert = await readPem('FLOTILLA_REDIS_CERT_FILE', settings.redisCertFile);
  const key = await readPem('FLOTILLA_REDIS_KEY_FILE', settings.redisKeyFile);
  if ((cert === undefined) !== (key === undefined)) {
    throw new UnusableRedisAccess('FLOTILLA_REDIS_CERT_FILE and FLOTILLA_REDIS_KEY_FILE belong together: set both');
  }
  if (ca === undefined && cert === undefined) return undefined;
  return {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

async function readPem(setting: string, file: string): Promise<string | undefined> {
  if (file === '') return undefined;
  const text = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    throw new UnusableRedisAccess(`${file}: ${await whyUnreadable(file, error)}: check ${setting}`);
  });
  if (!text.includes('-----BEGIN ')) throw new UnusableRedisAccess(`${file} holds no PEM text: check ${setting}`);
  return text;
}
