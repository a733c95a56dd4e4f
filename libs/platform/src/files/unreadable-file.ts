import { stat } from 'node:fs/promises';
import { fileReason } from './file-tree.error.js';

type Owner = Readonly<{ uid: number; mode: number }>;

/**
 * Returns the reason why a file could not be read, for a message to the user that named it. `error`: the
 * failure of the read.
 */
export async function whyUnreadable(file: string, error: NodeJS.ErrnoException): Promise<string> {
  if (error.code !== 'EACCES') return fileReason(error);
  const owner = await stat(file).catch(() => undefined);
  return `${fileReason(error)}${whoMayNot(process.getuid?.(), owner)}`;
}

/** Completes "permission denied": returns the user of this process, and the owner of the file. */
export function whoMayNot(reader: number | undefined, owner: Owner | undefined): string {
  if (reader === undefined) return '';
  if (owner === undefined) return ` (this process is user ${reader} and may not enter the directory)`;
  const mode = (owner.mode & 0o777).toString(8).padStart(4, '0');
  return ` (this process is user ${reader}, the file belongs to user ${owner.uid} and has mode ${mode})`;
}
