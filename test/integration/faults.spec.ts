import { afterAll, beforeAll, describe, it } from 'vitest';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import {
  type Disturbances,
  type DisturbedStory,
  describeDisturbances,
  everyFaultAtEveryStep,
  type LeftBehind,
  playDisturbed,
} from '../story/disturbed-story.js';
import { expectEnoughRights, withUsersOf } from './redis-support/redis-users.js';
import { type ShippedRedis, startShippedRedis } from './redis-support/shipped-redis.js';

/** One scenario; the end-to-end suite plays all of them, in which every fault meets every step. */
const PLAYED = [0];

describe.concurrent('an operator with its dependency on two simulated clusters, upgraded over two hops', () => {
  let registry: InMemoryRegistry;
  let shipped: ShippedRedis;
  let undisturbed: Promise<LeftBehind>;
  const play = (disturbances: Disturbances, number: number, more: Pick<DisturbedStory, 'environment' | 'atEnd'> = {}) =>
    playDisturbed({ disturbances, registry, catalogImage: `stories/number-${number}:latest`, ...more });

  beforeAll(async () => {
    registry = await startRegistry();
    shipped = await startShippedRedis({ prefix: 'fleet' });
    undisturbed = play({}, 0, { environment: withUsersOf(shipped, 'fleet'), atEnd: expectEnoughRights });
    undisturbed.catch(() => undefined); // reported by each test that waits for it
  });
  afterAll(async () => {
    await shipped?.stop();
    await registry.stop();
  });

  it('comes to its end with the users of Redis that are shipped, each distinct problem solved once', async ({
    expect,
  }) => {
    const { solved } = await undisturbed;
    expect(solved.length).toBeGreaterThan(0);
    expect(solved.toSorted()).toEqual([...new Set(solved)].toSorted());
  });

  const rows = everyFaultAtEveryStep
    .filter((_, index) => PLAYED.includes(index))
    .map((disturbances, index) => ({ disturbances, number: index + 1, name: describeDisturbances(disturbances) }));
  it.for(rows)('comes to the same end though $name', async ({ disturbances, number }, { expect }) => {
    const { dumps } = await play(disturbances, number);
    expect(dumps).toEqual((await undisturbed).dumps);
  });
});
