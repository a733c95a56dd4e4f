import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withPasswordOf } from './redis-password.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-password-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(text: string): Promise<string> {
  const path = join(folder, 'password');
  await writeFile(path, text);
  return path;
}

describe('withPasswordOf', () => {
  it.each([
    { text: 'hush\n', url: 'redis://redis:6379', gives: 'redis://:hush@redis:6379', because: 'a line' },
    { text: 'a/b@c:%', url: 'redis://redis', gives: 'redis://:a%2Fb%40c%3A%25@redis', because: 'signs of a URL' },
    { text: 'new', url: 'rediss://me:old@redis/2', gives: 'rediss://me:new@redis/2', because: 'in place of another' },
  ])('$because', async ({ text, url, gives }) => {
    expect(await withPasswordOf(await file(text), url)).toBe(gives);
  });

  it('leaves the URL as it is without a file', async () => {
    expect(await withPasswordOf('', 'redis://:mine@redis')).toBe('redis://:mine@redis');
  });

  it.each([
    { text: ' \n', says: /password: it is empty: check FLOTILLA_REDIS_PASSWORD_FILE$/ },
    { text: 'x'.repeat(5_000), says: /longer than 4096 characters/ },
  ])('refuses a file that holds none: $says', async ({ text, says }) => {
    await expect(withPasswordOf(await file(text), 'redis://redis')).rejects.toThrow(says);
  });

  it('names the file that is not there', async () => {
    const path = join(folder, 'gone');
    await expect(withPasswordOf(path, 'redis://redis')).rejects.toThrow(
      `the password of Redis in ${path}: no such file or directory: check FLOTILLA_REDIS_PASSWORD_FILE`,
    );
  });
});
