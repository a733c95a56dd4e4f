import { afterAll, beforeAll, describe, it } from 'vitest';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { LIMITS } from '#testing/patience';
import { FleetHub } from '../fleet/fleet-hub.js';
import { KillGates } from '../fleet/kill-gates.js';
import { killAtKindsOfWrites } from '../fleet/killed-rollout.js';
import { type RestartableRedis, startRestartableRedis } from '../story/restartable-redis.js';

const TIERS = ['lab', 'shops'];
/** Another one in each run; a failure is played again with that of its output. */
const seed = Number(process.env['FLOTILLA_KILL_SEED'] ?? Date.now() % 1_000);
/** 1 takes all kinds of writes. */
const stride = Number(process.env['FLOTILLA_KILL_STRIDE'] ?? 3);

/**
 * A sample of all writes: the first write of a kind (service, verb, resource) or its answer is lost, by the
 * seed, and its service is killed. With every fifth kill Redis is killed, too. The seed selects a third of
 * the kinds.
 */
describe('a rollout whose services are killed, on real API servers', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let fleet: FleetHub;
  let gates: KillGates;
  let redis: RestartableRedis;
  beforeAll(async () => {
    const controlPlane = await startControlPlane({ clusters: TIERS.length });
    endings.push(() => controlPlane.stop());
    const { clusters } = controlPlane;
    const labelled = Object.fromEntries(clusters.map(({ name }, at) => [name, { tier: TIERS[at] ?? '' }]));
    gates = await KillGates.start(clusters.map(({ kubeconfigPath }) => kubeconfigPath));
    endings.push(() => gates.stop());
    redis = await startRestartableRedis();
    endings.push(() => redis.stop());
    const { kubeconfigs } = gates;
    fleet = await FleetHub.start({ kubeconfigs, hub: clusters[0]?.name ?? '', clusters: labelled, redis });
    endings.push(() => fleet.stop());
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  it('comes to the same end as undisturbed, with nothing written twice', { timeout: LIMITS.walk }, () =>
    killAtKindsOfWrites(fleet, gates, { seed, stride, redis, redisEvery: 5 }),
  );
});
