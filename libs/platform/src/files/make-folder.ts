import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

type Make = (path: string, options: Readonly<{ recursive?: boolean; mode?: number }>) => Promise<unknown>;

/**
 * Makes a folder with its parents, and fails with the reason of the system. Node reports "no such file" for
 * the parents of a folder on a read-only disk; the first folder that is missing, made alone, has the reason.
 */
export async function makeFolder(path: string, mode?: number, make: Make = mkdir): Promise<void> {
  const rights = mode === undefined ? {} : { mode };
  try {
    await make(path, { ...rights, recursive: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    await make(await firstMissing(path), rights);
    await make(path, { ...rights, recursive: true });
  }
}

async function firstMissing(path: string): Promise<string> {
  const parent = dirname(path);
  const isThere = await stat(parent).then(
    () => true,
    () => false,
  );
  return isThere || parent === path ? path : firstMissing(parent);
}
