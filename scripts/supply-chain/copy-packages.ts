import { cpSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packageClosure } from './package-closure.ts';

/** What a program does not read: types, and maps to sources that are not there. */
const UNREAD = /\.(map|d\.[cm]?ts)$/;

/** Names of the packages that the bundles import, once these are made (`scripts/bundle-programs.ts`). */
export const importedPackages = (root: string): string[] =>
  JSON.parse(readFileSync(join(root, 'dist/programs/packages.json'), 'utf8')) as string[];

/**
 * Copies the packages that the bundles of `root` import, with all that they need at run time, to
 * `target/node_modules`.
 */
export function copyPackages(root: string, target: string): void {
  const lockFile = readFileSync(join(root, 'package-lock.json'), 'utf8');
  for (const path of packageClosure(lockFile, importedPackages(root))) {
    // A package within another one has a line of its own, and is copied with that one already.
    cpSync(join(root, path), join(target, path), {
      recursive: true,
      filter: (source) => !UNREAD.test(basename(source)),
    });
  }
}
