import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchivedFile } from './fixed-archive.js';

/** The files of a folder and of those below it, under `prefix`; links are followed, so that none is left. */
export async function readFiles(folder: string, prefix: string): Promise<ArchivedFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry): Promise<ArchivedFile[]> => {
      const [source, path] = [join(folder, entry.name), `${prefix}/${entry.name}`];
      if (entry.isDirectory()) return readFiles(source, path);
      try {
        return [{ path, content: await readFile(source), executable: entry.name.endsWith('.sh') }];
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EISDIR') return readFiles(source, path);
        throw error;
      }
    }),
  );
  return found.flat();
}
