import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { KillWalk } from '../story/kill-walk/kill-walk.js';
import type { KillPoint } from '../story/kill-walk/write-counter.js';
import { type RestartableRedis, startRestartableRedis } from '../story/restartable-redis.js';

/** Another one in each run; a failure is played again with that of its output. The whole walk is an end-to-end test. */
const SEED = process.env['FLOTILLA_KILL_SEED'] ?? String(Date.now());

/**
 * A point in each half of so many writes; none among the last, since a run that is killed once may come to its end with fewer
 * of them: what is told several times in one run may be told once in another.
 */
function pointsOf(seed: string, writes: number): KillPoint[] {
  const bytes = createHash('sha256').update(seed).digest();
  const half = Math.floor(writes / 2);
  return [0, half].map((from, index) => ({
    write: from + 1 + (bytes.readUInt32BE(index * 8) % Math.floor(half * 0.8)),
    when: bytes.readUInt8(index * 8 + 4) % 2 === 0 ? 'before' : 'after',
  }));
}

describe('an applier that is killed', () => {
  let registry: InMemoryRegistry;
  let redis: RestartableRedis;
  let walk: KillWalk;
  beforeAll(async () => {
    registry = await startRegistry();
    redis = await startRestartableRedis();
    walk = await KillWalk.start(redis.url, registry);
  });
  afterAll(async () => {
    await walk?.strike();
    await redis?.stop();
    await registry?.stop();
  });

  it('in the middle of an install and of an upgrade leaves what another one ends', { timeout: 300_000 }, async () => {
    const undisturbed = await walk.undisturbed();
    const points = pointsOf(SEED, undisturbed.writes);
    console.log(`FLOTILLA_KILL_SEED=${SEED}: killed at ${points.map((p) => `${p.when} ${p.write}`).join(' and ')}`);
    const { kills } = await walk.disturbed(points, undisturbed, expect);
    expect(kills).toHaveLength(points.length);
  });
});
