import { readFile, stat } from 'node:fs/promises';
import { bearerToken } from '#core/kernel/http-access/token-file';
import type { Settings } from '#platform/config/settings';
import { whyUnreadable } from '#platform/files/unreadable-file';
import { UsageError } from '../terminal/io.js';

const MOST_FILE_BYTES = 16_384;

/**
 * Returns the token for a hub that the user named, in options or settings. It is never sent to a hub that a
 * cluster names.
 */
export async function hubToken({ hubTokenFile: file }: Pick<Settings, 'hubTokenFile'>): Promise<string | undefined> {
  if (file === '') return undefined;
  const unusable = (why: string) => new UsageError(`FLOTILLA_HUB_TOKEN_FILE: ${file}: ${why}`);
  try {
    const { size } = await stat(file);
    if (size > MOST_FILE_BYTES) throw unusable(`it contains ${size} bytes, not a token`);
    const token = bearerToken(`Bearer ${(await readFile(file, 'utf8')).trim()}`);
    if (token === undefined) throw unusable('it must contain only a bearer token');
    return token;
  } catch (error) {
    throw error instanceof UsageError ? error : unusable(await whyUnreadable(file, error as NodeJS.ErrnoException));
  }
}

/** The headers and the rule for redirects of a request to the hub. */
export const withToken = (
  token: string | undefined,
): Readonly<{ headers?: Record<string, string>; redirect?: 'error' }> =>
  token === undefined ? {} : { headers: { authorization: `Bearer ${token}` }, redirect: 'error' };
