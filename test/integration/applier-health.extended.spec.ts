import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRedis } from '#platform/redis/local/find-redis';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { freePort, withAwayCluster } from './up-support/away-cluster.js';

describe('the health of an applier, in a process of its own', () => {
  let folder: string;
  let fleet: SimulatedFleet;
  let redis: Awaited<ReturnType<typeof findRedis>>;
  const appliers: ServiceProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-health-'));
    redis = await findRedis({ log: () => undefined });
    fleet = await startSimulatedFleet({ clusters: ['east'] });
  });
  afterAll(async () => {
    await Promise.all(appliers.map((applier) => applier.stop()));
    await fleet.stop();
    await redis.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Returns its answer at /readyz: status, and report about its clusters. */
  async function readiness(name: string, kubeconfig: string) {
    const file = join(folder, name);
    await writeFile(file, kubeconfig, { mode: 0o600 });
    const env = {
      FLOTILLA_KUBECONFIG: file,
      FLOTILLA_CONTEXTS: name.replaceAll('+', ','),
      FLOTILLA_REDIS_URL: redis.url,
      FLOTILLA_REDIS_PREFIX: name.replaceAll('+', '-'),
      FLOTILLA_APPLIER_PORT: '0',
      FLOTILLA_CONTENT_DIR: join(folder, `${name}-content`),
    };
    const applier = new ServiceProcess(name, 'applier', env, join(folder, `${name}.log`));
    appliers.push(applier);
    applier.start();
    return async () => {
      const url = await applier.url();
      if (url === undefined) return undefined;
      const response = await fetch(`${url}/readyz`);
      const { details } = (await response.json()) as { details: Record<string, { status: string; detail: string }> };
      return { ready: response.status === 200, says: details['clusters']?.detail };
    };
  }

  it('is ready while its clusters answer, degraded while one is away, not ready when all are', async () => {
    const port = await freePort();
    const token = join(folder, 'token');
    await writeFile(token, 'none', { mode: 0o600 });
    const text = withAwayCluster(fleet.kubeconfig(), { name: 'west', port, tokenFile: token });
    const [well, partly, cut] = await Promise.all(
      ['east', 'east+west', 'west'].map((contexts) => readiness(contexts, text)),
    );
    await expect.poll(() => well?.(), PATIENCE).toEqual({ ready: true, says: '1 of 1 clusters answer' });
    await expect
      .poll(() => partly?.(), PATIENCE)
      .toEqual({ ready: true, says: expect.stringMatching(/^1 of 2 clusters do not answer: west \(.+\)$/) });
    await expect
      .poll(() => cut?.(), PATIENCE)
      .toEqual({
        ready: false,
        says: expect.stringMatching(/^1 of 1 clusters do not answer: west \(.+ECONNREFUSED.*\)$/),
      });
  });
});
