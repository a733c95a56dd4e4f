import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { KillWalk } from '../story/kill-walk/kill-walk.js';
import type { Played } from '../story/kill-walk/walked-story.js';
import type { KillPoint } from '../story/kill-walk/write-counter.js';
import { type RestartableRedis, startRestartableRedis } from '../story/restartable-redis.js';

/** Environments side by side: most of the time of a scenario is waiting. */
const LANES = 2;
/**
 * Plays every STRIDE-th point; 1 plays all of them, up to three quarters of an hour. The first one differs in
 * each run; the output of a failure names it for a repetition.
 */
const STRIDE = Number(process.env['FLOTILLA_KILL_STRIDE'] ?? 5);
const OFFSET = Number(process.env['FLOTILLA_KILL_OFFSET'] ?? Date.now()) % STRIDE;
const WHEN: readonly KillPoint['when'][] = ['before', 'after'];

describe('an applier that is killed', () => {
  let registry: InMemoryRegistry;
  let redis: RestartableRedis;
  const walks: KillWalk[] = [];
  let undisturbed: Played;

  beforeAll(async () => {
    registry = await startRegistry();
    redis = await startRestartableRedis();
    for (let lane = 0; lane < LANES; lane += 1) walks.push(await KillWalk.start(redis.url, registry));
    undisturbed = (await walks[0]?.undisturbed()) ?? fail();
  });
  afterAll(async () => {
    for (const walk of walks) await walk.stop();
    await redis?.stop();
    await registry?.stop();
  });

  it('at any of its writes leaves what another one ends, whether the write was done or not', {
    timeout: LIMITS.walk,
  }, async () => {
    const points = Array.from({ length: undisturbed.writes }, (_, index) =>
      WHEN.map((when): KillPoint => ({ write: index + 1, when })),
    )
      .flat()
      .filter((_, index) => index % STRIDE === OFFSET);
    const settings = `FLOTILLA_KILL_STRIDE=${STRIDE} FLOTILLA_KILL_OFFSET=${OFFSET}`;
    console.log(`${settings}: ${points.length} of ${undisturbed.writes * WHEN.length} points`);
    const since = performance.now();
    const failures: string[] = [];
    let killed = 0;
    const lane = async (walk: KillWalk) => {
      for (let point = points.shift(); point !== undefined; point = points.shift()) {
        try {
          const { kills } = await walk.disturbed([point], undisturbed, expect);
          killed += kills.length; // only now: the other lane has counted meanwhile
        } catch (error) {
          const failure = `${point.when} ${point.write}: ${describeFailure(error)}`;
          console.error(failure);
          failures.push(failure);
        }
      }
    };
    const walked = points.length;
    await Promise.all(walks.map(lane));
    console.log(`applier killed at ${killed} of ${walked} points, of ${undisturbed.writes * WHEN.length} in all`);
    console.log(`${((performance.now() - since) / 1_000 / walked).toFixed(1)} s for each point`);
    expect(failures).toEqual([]);
    // Some of the last points may lie beyond the end of a story that needs fewer writes.
    expect(killed).toBeGreaterThan(walked * 0.8);
  });
});

/** Describes a failure, with the values of an assertion. */
function describeFailure(error: unknown): string {
  const { message, actual } = Object(error);
  return `${message} ${actual === undefined ? '' : JSON.stringify(actual).slice(0, 4_000)}`;
}

const fail = (): never => {
  throw new Error('there is no environment');
};
