import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LIMITS } from '#testing/patience';
import { FleetHub } from '../fleet/fleet-hub.js';
import { KillGates } from '../fleet/kill-gates.js';
import { killAtKindsOfWrites } from '../fleet/killed-rollout.js';
import { type RestartableRedis, startRestartableRedis } from '../story/restartable-redis.js';

const clusters = { 'store-1': { tier: 'lab' }, 'store-2': { tier: 'shops' } };
/** Another one in each run; a failure is played again with that of its output. */
const seed = Number(process.env['FLOTILLA_KILL_SEED'] ?? Date.now() % 1_000);
/** 1 takes all kinds of writes. */
const stride = Number(process.env['FLOTILLA_KILL_STRIDE'] ?? 8);

describe('a roll-out whose services are killed, on simulated API servers', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let fleet: FleetHub;
  let gates: KillGates;
  let redis: RestartableRedis;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-kills-'));
    endings.push(() => rm(folder, { recursive: true, force: true }));
    const names = ['hub', ...Object.keys(clusters)];
    const simulated = await startSimulatedFleet({ clusters: names, deploymentReadyAfterMs: 200 });
    endings.push(() => simulated.stop());
    const file = join(folder, 'kubeconfig');
    await writeFile(file, simulated.kubeconfig(), { mode: 0o600 });
    gates = await KillGates.start([file]);
    endings.push(() => gates.stop());
    redis = await startRestartableRedis();
    endings.push(() => redis.stop());
    fleet = await FleetHub.start({ kubeconfigs: gates.kubeconfigs, hub: 'hub', clusters, redis });
    endings.push(() => fleet.stop());
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  it('comes to the same end as undisturbed, with nothing written twice', { timeout: LIMITS.walk }, () =>
    killAtKindsOfWrites(fleet, gates, { seed, stride, redis, redisEvery: 3 }),
  );
});
