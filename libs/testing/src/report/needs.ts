import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestOptions } from 'vitest';
import { findExecutable } from '#platform/debian/executable';
import { installDebianPackage, type NotInstalled } from '#platform/debian/install-package';
import { PROJECT_ROOT } from '#platform/files/project-root';

declare module 'vitest' {
  interface TaskMeta {
    /** Need of a test that this machine does not meet; the last lines of a run count these tests. */
    needs?: string;
  }
}

/** Something that a test needs and not every machine has. */
export type Need = Readonly<{ isThere: boolean; what: string }>;

/** Folder of public catalogs, bundles and their recordings; they are no part of this repository. */
export const PUBLIC_DATA = join(PROJECT_ROOT, '../shared');

/** Public catalogs, bundles or recordings: all of these paths below {@link PUBLIC_DATA}. */
export const publicData = (...paths: readonly string[]): Need => ({
  isThere: paths.every((path) => existsSync(join(PUBLIC_DATA, path))),
  what: 'public catalogs and bundles in ../shared, which are not part of this repository',
});

/** Programs on the PATH, with the Debian packages that have them. */
export type Program = Readonly<{ program: string; debian?: string }>;

type Env = Readonly<Record<string, string | undefined>>;
type Install = (name: string, env: Env, log: (line: string) => void) => Promise<NotInstalled | undefined>;

/** A program that a test needs is missing in CI, although it could have been installed. */
export class MissingInCi extends Error {
  override readonly name = 'MissingInCi';
}

/**
 * Returns the need of these programs. In CI missing programs are installed first if possible (as root on
 * Debian, when its archive answers).
 *
 * @throws MissingInCi if a program could have been installed there, so that CI never leaves out such a test
 */
export const programs = (...wanted: readonly Program[]): Promise<Need> =>
  programsIn(process.env, installDebianPackage, wanted);

/** The same for any environment and way to install. */
export async function programsIn(env: Env, install: Install, wanted: readonly Program[]): Promise<Need> {
  const isMissing = ({ program }: Program) => findExecutable(program, env['PATH'] ?? '') === undefined;
  if (isCi(env)) {
    for (const { program, debian } of wanted.filter(isMissing)) {
      if (debian === undefined) continue;
      const failed = await install(debian, env, console.log);
      if (failed?.available) {
        throw new MissingInCi(`these tests need ${program}: ${failed.because}. In CI they must run; install it there`);
      }
    }
  }
  const missing = wanted.filter(isMissing);
  const packages = missing.flatMap(({ debian }) => debian ?? []);
  const how = packages.length === 0 ? '' : ` (apt-get install ${packages.join(' ')})`;
  return { isThere: missing.length === 0, what: `${missing.map(({ program }) => program).join(' and ')}${how}` };
}

/** As CI systems set it; `CI=false` and `CI=` say that it is none. */
const isCi = (env: Env): boolean => !['', '0', 'false'].includes(env['CI'] ?? '');

/**
 * Options of a test or group: it runs if all its needs are met; otherwise the last lines of the run count it.
 */
export function needing(...needs: readonly Need[]): TestOptions {
  const missing = needs.filter(({ isThere }) => !isThere).map(({ what }) => what);
  return missing.length === 0 ? {} : { skip: true, meta: { needs: missing.join(' and ') } };
}
