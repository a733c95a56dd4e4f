import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { findExecutable } from './executable.js';

const run = promisify(execFile);
/** Another apt-get may be at work, for a test beside this one or for the machine itself: it is waited for. */
const LOCK_SECONDS = 300;

/** Installs a package of Debian's as root; undefined when it is there, else one line saying why it is not. */
export async function installDebianPackage(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  log: (line: string) => void,
): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return `not root, so ${name} cannot be installed with apt-get`;
  if (!existsSync('/etc/debian_version') || findExecutable('apt-get', env['PATH'] ?? '') === undefined) {
    return `not a Debian system, so there is no apt-get to install ${name} with`;
  }
  log(`installing ${name} with apt-get (once)`);
  const quiet = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, maxBuffer: 2 ** 24 };
  const patient = ['-q', '-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`];
  // Where the lists cannot be fetched anew, those that are there may do; the install tells.
  await run('apt-get', ['update', ...patient], quiet).catch(() => undefined);
  try {
    await run('apt-get', ['install', '-y', ...patient, name], quiet);
    return undefined;
  } catch (error) {
    return `apt-get install ${name} failed: ${lastLine(error)}`;
  }
}

const lastLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1) ?? '';
