import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeBinary } from './node-binaries.js';

/** A build of Node that cannot be used: not there, or not the one that is named. */
export class NoNode extends Error {
  override readonly name = 'NoNode';
}

/** A build of Node on this machine. */
export type FetchedNode = Readonly<{ executable: string; licence: string | undefined }>;

/**
 * Takes a build of Node from npm's registry, or from npm's cache if it is there, and unpacks it below `work`.
 *
 * @throws NoNode if the registry does not answer, or gives another package
 */
export function fetchNode(binary: NodeBinary, work: string): FetchedNode {
  const folder = mkdtempSync(join(work, 'node-'));
  const what = `${binary.package}@${binary.version}`;
  const options = ['--ignore-scripts', '--prefer-offline', '--loglevel=error', '--fetch-retries=1'];
  try {
    execFileSync('npm', ['pack', what, ...options, '--pack-destination', folder], { cwd: folder, stdio: 'pipe' });
  } catch (error) {
    const said = (error as { stderr?: Buffer }).stderr?.toString() ?? '';
    const reason = /^npm error (?!code)(.+)$/m.exec(said)?.[1] ?? 'npm pack failed';
    throw new NoNode(`${what} is not available: ${reason}`);
  }
  const archive = join(folder, `${binary.package}-${binary.version}.tgz`);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (integrity !== binary.integrity) throw new NoNode(`${what} is another package: ${integrity}`);
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  const [executable, licence] = [join(folder, 'package', binary.file), join(folder, 'package/LICENSE')];
  chmodSync(executable, 0o755);
  return { executable, licence: existsSync(licence) ? readFileSync(licence, 'utf8') : undefined };
}
