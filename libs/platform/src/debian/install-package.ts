import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { findExecutable } from './executable.js';

const run = promisify(execFile);
/** Seconds to wait for another apt-get: it may work for a parallel test or for the machine itself. */
const LOCK_SECONDS = 300;

/** The reason why a package is not installed. */
export type NotInstalled = Readonly<{
  because: string;
  /** Debian's archive answered, so that on this machine the install should have worked. */
  available: boolean;
}>;

/** Facts of a machine that apt-get depends on. */
type Machine = Readonly<{ isRoot: boolean; isDebian: boolean }>;
const thisMachine = (): Machine => ({
  isRoot: process.getuid?.() === 0,
  isDebian: existsSync('/etc/debian_version'),
});

/** Returns the reason why this process cannot install a Debian package. Returns undefined if it may try. */
function whyNotInstallable(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  machine: Machine = thisMachine(),
): string | undefined {
  if (!machine.isRoot) return `not root, so ${name} cannot be installed with apt-get`;
  if (machine.isDebian && findExecutable('apt-get', env['PATH'] ?? '') !== undefined) return undefined;
  return `not a Debian system, so there is no apt-get to install ${name} with`;
}

/** Installs a package of Debian's as root; undefined when it is there. */
export async function installDebianPackage(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  log: (line: string) => void,
  machine: Machine = thisMachine(),
): Promise<NotInstalled | undefined> {
  const because = whyNotInstallable(name, env, machine);
  if (because !== undefined) return { because, available: false };
  log(`installing ${name} with apt-get (once)`);
  const quiet = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, maxBuffer: 2 ** 24 };
  const patient = ['-q', '-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`];
  // If the lists cannot be fetched again, the existing ones may do.
  const updated = await run('apt-get', ['update', ...patient, '-o', 'APT::Update::Error-Mode=any'], quiet).then(
    () => true,
    () => false,
  );
  try {
    await run('apt-get', ['install', '-y', ...patient, name], quiet);
    return undefined;
  } catch (error) {
    return { because: `apt-get install ${name} failed: ${lastLine(error)}`, available: updated };
  }
}

const lastLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1) ?? '';
