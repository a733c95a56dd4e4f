import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable } from '#platform/debian/executable';
import { installDebianPackage } from '#platform/debian/install-package';
import { freePorts } from '../control-plane/free-ports.js';
import { PATIENCE_MS, pause } from '../patience.js';
import { startRegistry } from './in-memory-registry.js';

export type ImageRegistry = Readonly<{
  /** `127.0.0.1:PORT`, the first part of references to its images. */
  host: string;
  /** Description of the registry, for people. */
  how: string;
  stop: () => Promise<void>;
}>;

const PROGRAM = 'docker-registry';

/**
 * Starts the distribution registry (Debian's package docker-registry, installed first if possible), otherwise
 * our own in this process.
 */
export async function startImageRegistry(): Promise<ImageRegistry> {
  const program = await distribution();
  if ('path' in program) return startDistribution(program.path);
  const { host, stop } = await startRegistry();
  return { host, stop, how: `a registry in this process (${program.missing})` };
}

async function distribution(): Promise<Readonly<{ path: string } | { missing: string }>> {
  const onPath = () => findExecutable(PROGRAM, process.env['PATH'] ?? '');
  const there = onPath();
  if (there !== undefined) return { path: there };
  const failed = await installDebianPackage(PROGRAM, process.env, (line) => console.log(line));
  const installed = onPath();
  return installed === undefined ? { missing: failed?.because ?? `${PROGRAM} is not on PATH` } : { path: installed };
}

async function startDistribution(program: string): Promise<ImageRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-registry-'));
  const [port = 0] = await freePorts(1);
  const config = join(folder, 'config.yml');
  const storage = `storage:\n  filesystem: {rootdirectory: ${join(folder, 'images')}}\n`;
  await writeFile(config, `version: 0.1\nlog: {level: error}\n${storage}http: {addr: "127.0.0.1:${port}"}\n`);
  const server = spawn(program, ['serve', config], { stdio: 'ignore' });
  const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const stop = async () => {
    server.kill();
    await gone;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const host = `127.0.0.1:${port}`;
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await answers(`http://${host}/v2/`))) {
    if (performance.now() > deadline) {
      await stop();
      throw new Error(`${PROGRAM} did not answer within ${PATIENCE_MS / 1_000} s`);
    }
    await pause(50);
  }
  return { host, stop, how: `the distribution registry (${PROGRAM})` };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
