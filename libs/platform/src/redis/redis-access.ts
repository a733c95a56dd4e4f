import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { whyUnreadable } from '../files/unreadable-file.js';
import { parseRedisUrl, type RedisTls } from './redis-connection.js';
import { UnusableRedisAccess } from './redis-errors.js';
import { withPasswordOf } from './redis-password.js';

/** How Redis is reached. The URL may hold user and password: it is never logged. */
export type RedisAccess = Readonly<{ url: string; tls?: RedisTls }>;

/** As in the settings of these names. */
export type RedisAccessSettings = Readonly<{
  redisUrl: string;
  redisUser: string;
  redisPasswordFile: string;
  redisCaFile: string;
  redisCertFile: string;
  redisKeyFile: string;
}>;

/**
 * The URL with user and password, and what TLS needs.
 *
 * @throws UnusableRedisAccess, UnusableRedisPassword where a file cannot be used; neither holds what is in it
 */
export async function readRedisAccess(settings: RedisAccessSettings): Promise<RedisAccess> {
  const url = withUser(settings.redisUser, await withPasswordOf(settings.redisPasswordFile, settings.redisUrl));
  const tls = await readTls(settings);
  if (tls === undefined) return { url };
  if (parseRedisUrl(url).protocol !== 'rediss:') {
    throw new UnusableRedisAccess(
      'files for TLS are named, and the URL of Redis begins with redis://: write rediss://',
    );
  }
  return { url, tls };
}

function withUser(user: string, url: string): string {
  if (user === '') return url;
  const parsed = parseRedisUrl(url);
  parsed.username = encodeURIComponent(user);
  return parsed.href;
}

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
