import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../files/make-folder.js';

const KEY = /^[\w-]{43}$/;
const BYTES = 32;

/** The key that signs in at the console of this machine; undefined where the file has none. */
export async function readConsoleKey(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return KEY.exec(text.trim())?.[0];
}

/** The key of the file; where there is none a new one, which the file's owner alone reads. */
export async function openConsoleKey(file: string): Promise<string> {
  const known = await readConsoleKey(file);
  if (known !== undefined) return known;
  const key = randomBytes(BYTES).toString('base64url');
  await makeFolder(dirname(file), 0o700);
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}

/** Opens the console, signed in: browsers do not send what is behind `#`. */
export const consoleLink = (origin: string, key: string): string => `${origin}/#key=${key}`;
