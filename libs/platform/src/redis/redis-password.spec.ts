import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisAccessSettings, readRedisAccess } from './redis-access.js';
import { parseSentinelUrl } from './redis-url.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-password-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function file(text: string): Promise<string> {
  const path = join(folder, 'password');
  await writeFile(path, text);
  return path;
}

const NONE: RedisAccessSettings = {
  redisUrl: '',
  redisUser: '',
  redisPasswordFile: '',
  redisSentinelUser: '',
  redisSentinelPasswordFile: '',
  redisCaFile: '',
  redisCertFile: '',
  redisKeyFile: '',
};
const urlWith = async (redisUrl: string, redisPasswordFile: string): Promise<string> =>
  (await readRedisAccess({ ...NONE, redisUrl, redisPasswordFile })).url;

describe('the file with the password of Redis', () => {
  it.each([
    { text: 'hush\n', url: 'redis://redis:6379', gives: 'redis://:hush@redis:6379', because: 'a line' },
    { text: 'a/b@c:%', url: 'redis://redis', gives: 'redis://:a%2Fb%40c%3A%25@redis', because: 'signs of a URL' },
    { text: 'new', url: 'rediss://me:old@redis/2', gives: 'rediss://me:new@redis/2', because: 'in place of another' },
    { text: 'new', url: 'redis+sentinel://a/b', gives: 'redis+sentinel://:new@a:26379/b', because: 'behind Sentinels' },
  ])('$because', async ({ text, url, gives }) => {
    expect(await urlWith(url, await file(text))).toBe(gives);
  });

  it('leaves the URL as it is without a file', async () => {
    expect(await urlWith('redis://:mine@redis', '')).toBe('redis://:mine@redis');
  });

  it.each([
    { text: ' \n', says: /password: it is empty: check FLOTILLA_REDIS_PASSWORD_FILE$/ },
    { text: 'x'.repeat(5_000), says: /longer than 4096 characters/ },
  ])('refuses a file that holds none: $says', async ({ text, says }) => {
    await expect(urlWith('redis://redis', await file(text))).rejects.toThrow(says);
  });

  it('names the file that is not there', async () => {
    const path = join(folder, 'gone');
    await expect(urlWith('redis://redis', path)).rejects.toThrow(
      `the password of Redis in ${path}: no such file or directory: check FLOTILLA_REDIS_PASSWORD_FILE`,
    );
  });

  it('of the Sentinels goes to them alone, with its user', async () => {
    const sentinel = { redisSentinelUser: 'watch', redisSentinelPasswordFile: await file('a b&c') };
    const { url } = await readRedisAccess({ ...NONE, ...sentinel, redisUrl: 'redis+sentinel://me:own@a/b' });
    expect(parseSentinelUrl(url)).toMatchObject({
      redis: { user: 'me', password: 'own' },
      sentinel: { user: 'watch', password: 'a b&c' },
    });
  });

  it('of the Sentinels is refused where the URL names none', async () => {
    const given = { ...NONE, redisSentinelPasswordFile: await file('hush'), redisUrl: 'redis://redis' };
    await expect(readRedisAccess(given)).rejects.toThrow(/a login for Sentinels is set, and the URL names none/);
  });
});
