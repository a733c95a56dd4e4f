import { afterAll, beforeAll, describe, it } from 'vitest';
import { LIMITS } from '#testing/patience';
import { FleetHub } from '../fleet/fleet-hub.js';
import { KillGates } from '../fleet/kill-gates.js';
import { killAtKindsOfWrites } from '../fleet/killed-rollout.js';
import { type Endings, startSimulatedClusters } from '../fleet/simulated-clusters.js';
import { type RestartableRedis, startRestartableRedis } from '../story/restartable-redis.js';

const clusters = { 'store-1': { tier: 'lab' }, 'store-2': { tier: 'shops' } };
/** Another one in each run; a failure is played again with that of its output. */
const seed = Number(process.env['FLOTILLA_KILL_SEED'] ?? Date.now() % 1_000);
/** 1 takes all kinds of writes. */
const stride = Number(process.env['FLOTILLA_KILL_STRIDE'] ?? 8);

describe('a rollout whose services are killed, on simulated API servers', () => {
  const endings: Endings = [];
  let fleet: FleetHub;
  let gates: KillGates;
  let redis: RestartableRedis;
  beforeAll(async () => {
    const names = ['hub', ...Object.keys(clusters)];
    const { kubeconfig } = await startSimulatedClusters(names, endings);
    gates = await KillGates.start([kubeconfig]);
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
