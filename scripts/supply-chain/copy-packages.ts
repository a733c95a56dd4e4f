import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packageClosure } from './package-closure.ts';

/** Files that Node does not read: TypeScript with its types and maps, texts that are no licence. */
const UNREAD = /\.([cm]?ts|map|tsbuildinfo)$|^(?!licen[cs]e|notice|copying).*\.md$/i;
/** Builds of packages for browsers and for other systems of modules. */
const OTHER_BUILDS = /(^|[/\\])node_modules[/\\](underscore[/\\](amd|cjs|modules)|protobufjs[/\\]dist)$/;

/** True if a program may read the file or folder of a package. */
export const isRead = (path: string): boolean => !UNREAD.test(basename(path)) && !OTHER_BUILDS.test(path);

/** Names of the packages that the bundles import, once these are made (`scripts/bundle-programs.ts`). */
export const importedPackages = (root: string): string[] =>
  JSON.parse(readFileSync(join(root, 'dist/programs/packages.json'), 'utf8')) as string[];

/**
 * Copies the packages that the bundles of `root` import, with all that they need at run time, to
 * `target/node_modules`. They lose their scripts: npm would run those of an installation.
 */
export function copyPackages(root: string, target: string): void {
  const lockFile = readFileSync(join(root, 'package-lock.json'), 'utf8');
  for (const path of packageClosure(lockFile, importedPackages(root))) {
    // A package within another one has a line of its own, and is copied with that one already.
    cpSync(join(root, path), join(target, path), {
      recursive: true,
      filter: isRead,
    });
    dropScripts(join(target, path, 'package.json'));
  }
}

function dropScripts(file: string): void {
  const { scripts, gypfile, ...manifest } = JSON.parse(readFileSync(file, 'utf8'));
  if (scripts !== undefined || gypfile !== undefined) writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
