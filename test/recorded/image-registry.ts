import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '#testing/control-plane/free-ports';
import { startRegistry } from '#testing/registry/in-memory-registry';

export type ImageRegistry = Readonly<{
  /** `127.0.0.1:PORT`, the first part of references to its images. */
  host: string;
  /** Which one it is, for people. */
  how: string;
  stop: () => Promise<void>;
}>;

/** The distribution registry where it is installed (Debian's package docker-registry), else our own in this process. */
export async function startImageRegistry(): Promise<ImageRegistry> {
  const installed = (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => existsSync(join(folder, 'docker-registry')));
  if (installed) return startDistribution();
  const { host, stop } = await startRegistry();
  return { host, stop, how: 'the in-memory registry (docker-registry is not installed)' };
}

const PATIENCE_MS = 20_000;

async function startDistribution(): Promise<ImageRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-registry-'));
  const [port = 0] = await freePorts(1);
  const config = join(folder, 'config.yml');
  const storage = `storage:\n  filesystem: {rootdirectory: ${join(folder, 'images')}}\n`;
  await writeFile(config, `version: 0.1\nlog: {level: error}\n${storage}http: {addr: "127.0.0.1:${port}"}\n`);
  const server = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
  const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const stop = async () => {
    server.kill();
    await gone;
    await rm(folder, { recursive: true, force: true });
  };
  const host = `127.0.0.1:${port}`;
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await answers(`http://${host}/v2/`))) {
    if (performance.now() > deadline) {
      await stop();
      throw new Error(`docker-registry did not answer within ${PATIENCE_MS / 1_000} s`);
    }
    await sleep(50);
  }
  return { host, stop, how: 'the distribution registry (docker-registry)' };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
