import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../files/make-folder.js';

const KEY = /^[\w-]{43}$/;
const BYTES = 32;

/** Reads the key that signs in at the console of this machine. Returns undefined if the file has none. */
export async function readConsoleKey(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return KEY.exec(text.trim())?.[0];
}

/** Returns the key of the file. If there is none, makes a new one that the file's owner alone reads. */
export async function openConsoleKey(file: string): Promise<string> {
  const known = await readConsoleKey(file);
  if (known !== undefined) return known;
  const key = randomBytes(BYTES).toString('base64url');
  await makeFolder(dirname(file), 0o700);
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}

/** Returns a link that opens the console, signed in: browsers do not send the part behind `#`. */
export const consoleLink = (origin: string, key: string): string => `${origin}/#key=${key}`;
