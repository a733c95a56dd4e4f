import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestOptions } from 'vitest';
import { findExecutable } from '#platform/debian/executable';
import { installDebianPackage } from '#platform/debian/install-package';
import { PROJECT_ROOT } from '#platform/files/project-root';

declare module 'vitest' {
  interface TaskMeta {
    /** What a test needs that this machine does not have; the last lines of a run count these tests. */
    needs?: string;
  }
}

/** Something that a test needs and not every machine has. */
export type Need = Readonly<{ isThere: boolean; what: string }>;

/** Folder of public catalogs, bundles and their recordings, which are no part of this repository. */
export const PUBLIC_DATA = join(PROJECT_ROOT, '../shared');

/** Public catalogs, bundles or recordings: all of these paths below {@link PUBLIC_DATA}. */
export const publicData = (...paths: readonly string[]): Need => ({
  isThere: paths.every((path) => existsSync(join(PUBLIC_DATA, path))),
  what: 'public catalogs and bundles in ../shared, which are no part of this repository',
});

/** Programs on the PATH, with the Debian packages that have them. */
export type Program = Readonly<{ program: string; debian?: string }>;

/**
 * In CI what is missing is installed first where that can be (as root on Debian), so that CI leaves out only what cannot
 * be installed there.
 */
export async function programs(...wanted: readonly Program[]): Promise<Need> {
  if (process.env['CI'] !== undefined) {
    for (const { program, debian } of wanted) {
      if (debian !== undefined && !isOnPath(program)) await installDebianPackage(debian, process.env, console.log);
    }
  }
  const missing = wanted.filter(({ program }) => !isOnPath(program));
  const packages = missing.flatMap(({ debian }) => debian ?? []);
  const how = packages.length === 0 ? '' : ` (apt-get install ${packages.join(' ')})`;
  return { isThere: missing.length === 0, what: `${missing.map(({ program }) => program).join(' and ')}${how}` };
}

const isOnPath = (program: string): boolean => findExecutable(program, process.env['PATH'] ?? '') !== undefined;

/** Options of a test or group: it runs where all it needs is there; elsewhere the last lines of the run count it. */
export function needing(...needs: readonly Need[]): TestOptions {
  const missing = needs.filter(({ isThere }) => !isThere).map(({ what }) => what);
  return missing.length === 0 ? {} : { skip: true, meta: { needs: missing.join(' and ') } };
}
