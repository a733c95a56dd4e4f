import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE_MS, PATIENCE } from '#testing/patience';
import { hubKeyFile } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { type ConfiguredRedis, startConfiguredRedis } from './redis-support/configured-redis.js';

const run = promisify(execFile);
const NEST = join(PROJECT_ROOT, 'node_modules/.bin/nest');
const SOURCES = ['apps', 'libs', 'package.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'];

let folder = '';
let fleet: SimulatedFleet;
let redis: ConfiguredRedis;
let environment: Readonly<Record<string, string>>;

/** A checkout of its own: other tests run programs of `dist` here. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-nest-'));
  for (const name of SOURCES) await cp(join(PROJECT_ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'));
  fleet = await startSimulatedFleet({ clusters: ['east'] });
  redis = await startConfiguredRedis();
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    FLOTILLA_REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    FLOTILLA_KUBECONFIG: join(folder, 'kubeconfig'),
    FLOTILLA_HUB_KEY_FILE: hubKeyFile(),
    FLOTILLA_CONTENT_DIR: join(folder, 'content'),
    FLOTILLA_CATALOG_POLLER_PORT: '0',
    FLOTILLA_RESOLVER_WORKER_PORT: '0',
    FLOTILLA_APPLIER_PORT: '0',
  };
});
afterAll(async () => {
  await Promise.all([redis.stop(), fleet.stop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A service that `nest start` has built and started, and all that it says. */
function nestStart(service: string): { child: ChildProcessByStdio<null, Readable, Readable>; said: () => string } {
  const child = spawn(NEST, ['start', service], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  onTestFinished(() => void child.kill('SIGTERM'));
  return { child, said: () => said };
}

describe('the commands of Nest, with nest-cli.json', () => {
  it('build a library as well as a service, with the files that they read', async () => {
    await run(NEST, ['build', 'platform', 'catalog-poller'], { cwd: folder, timeout: LONG_PATIENCE_MS });
    for (const name of ['registry.proto', 'health.proto']) {
      const proto = `libs/platform/src/registry/grpc/proto/${name}`;
      expect(await readFile(join(folder, 'dist', proto), 'utf8')).toBe(
        await readFile(join(PROJECT_ROOT, proto), 'utf8'),
      );
    }
  });

  it.each(['catalog-poller', 'resolver-worker', 'applier'])(
    'start %s, which is healthy and ends when asked to',
    async (service) => {
      const { child, said } = nestStart(service);
      const url = new RegExp(`"url":"(http[^"]+)","msg":"${service} is running"`);
      await expect.poll(said, { ...PATIENCE, timeout: LONG_PATIENCE_MS }).toMatch(url);
      const healthz = `${url.exec(said())?.[1]}/healthz`;
      await expect.poll(async () => (await fetch(healthz)).status, PATIENCE).toBe(200);
      child.kill('SIGTERM');
      await expect.poll(() => child.exitCode, PATIENCE).toBe(0);
    },
  );
});
