import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable } from '#platform/debian/executable';
import { installDebianPackage } from '#platform/debian/install-package';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { pushImage } from '#platform/registry/image-push';
import { freePorts } from '#testing/control-plane/free-ports';
import { startRegistry } from '#testing/registry/in-memory-registry';
import type { StageRegistry } from '../../apps/cli/src/demo/demo-stage.js';

const PROGRAM = 'docker-registry';
const START_WITHIN_MS = 20_000;

export type RunningRegistry = StageRegistry & Readonly<{ describe: string; stop(): Promise<void> }>;

/** The registry that most people run, installed first where that can be, pushed to over HTTP; else our own, in this process. */
export async function startRealRegistry(): Promise<RunningRegistry> {
  const program = await distribution();
  if (typeof program === 'string') return startDistribution(program);
  console.warn(`${program.missing}: the images lie in a registry in this process`);
  const { host, put, stop } = await startRegistry();
  return { host, put, stop, describe: 'a registry in this process' };
}

async function distribution(): Promise<string | Readonly<{ missing: string }>> {
  const onPath = () => findExecutable(PROGRAM, process.env['PATH'] ?? '');
  const there = onPath();
  if (there !== undefined) return there;
  const failed = await installDebianPackage(PROGRAM, process.env, (line) => console.warn(line));
  return onPath() ?? { missing: failed ?? `${PROGRAM} is not on PATH` };
}

async function startDistribution(program: string): Promise<RunningRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-registry-'));
  const [port = 0] = await freePorts(1);
  const host = `127.0.0.1:${port}`;
  const config = join(folder, 'config.yml');
  const storage = `storage: {filesystem: {rootdirectory: ${join(folder, 'data')}}}\n`;
  await writeFile(config, `version: 0.1\nlog: {level: error}\n${storage}http: {addr: "${host}"}\n`);
  const server = spawn(program, ['serve', config], { stdio: 'ignore' });
  const stop = async () => {
    await ended(server);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilAnswering(`http://${host}/v2/`);
  } catch (error) {
    await stop();
    throw error;
  }
  const client = new HttpRegistryClient();
  return { host, stop, describe: program, put: (reference, image) => pushImage(client, `${host}/${reference}`, image) };
}

async function untilAnswering(url: string): Promise<void> {
  const deadline = performance.now() + START_WITHIN_MS;
  for (;;) {
    const status = await fetch(url).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    if (performance.now() > deadline) throw new Error(`${PROGRAM} did not answer at ${url} in time`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await gone;
}
