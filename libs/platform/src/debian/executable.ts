import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first executable of that name in the folders of a PATH. */
export function findExecutable(name: string, path: string): string | undefined {
  const candidates = path
    .split(delimiter)
    .filter(Boolean)
    .map((directory) => join(directory, name));
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
