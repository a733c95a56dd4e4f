import { readFile } from 'node:fs/promises';
import { whyUnreadable } from '../files/unreadable-file.js';
import { parseRedisUrl } from './redis-connection.js';
import { UnusableRedisPassword } from './redis-errors.js';

const LONGEST_PASSWORD = 4_096;

/**
 * The URL with the password that the file holds, without white space around it; the URL as it is where no
 * file is named. Fails with an {@link UnusableRedisPassword} that never holds the password.
 */
export async function withPasswordOf(file: string, url: string): Promise<string> {
  if (file === '') return url;
  const text = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    throw new UnusableRedisPassword(file, await whyUnreadable(file, error));
  });
  const password = text.trim();
  if (password === '') throw new UnusableRedisPassword(file, 'it is empty');
  if (password.length > LONGEST_PASSWORD) throw new UnusableRedisPassword(file, 'it is longer than 4096 characters');
  const parsed = parseRedisUrl(url);
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}
