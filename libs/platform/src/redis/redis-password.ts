import { readFile } from 'node:fs/promises';
import { whyUnreadable } from '../files/unreadable-file.js';
import { UnusableRedisPassword } from './redis-errors.js';

const LONGEST_PASSWORD = 4_096;

/**
 * Returns the content of the file, without white space around it. Returns undefined if no file is named.
 * `setting` names the file.
 * @throws UnusableRedisPassword, without the password
 */
export async function passwordIn(file: string, setting: string): Promise<string | undefined> {
  if (file === '') return undefined;
  const text = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    throw new UnusableRedisPassword(file, await whyUnreadable(file, error), setting);
  });
  const password = text.trim();
  if (password === '') throw new UnusableRedisPassword(file, 'it is empty', setting);
  if (password.length > LONGEST_PASSWORD)
    throw new UnusableRedisPassword(file, 'it is longer than 4096 characters', setting);
  return password;
}
