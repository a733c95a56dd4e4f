import { afterAll, beforeAll, describe, it } from 'vitest';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import {
  type Disturbances,
  describeDisturbances,
  everyFaultAtEveryChapter,
  type LeftBehind,
  playDisturbed,
} from '../story/disturbed-story.js';

/** One story; the end-to-end suite plays all of them, in which every fault meets every chapter. */
const TOLD = [0];

describe.concurrent('an operator with its dependency on two simulated clusters, upgraded over two hops', () => {
  let registry: InMemoryRegistry;
  let undisturbed: Promise<LeftBehind>;
  const play = (disturbances: Disturbances, number: number) =>
    playDisturbed({ disturbances, registry, catalogImage: `stories/number-${number}:latest` });

  beforeAll(async () => {
    registry = await startRegistry();
    undisturbed = play({}, 0);
    undisturbed.catch(() => undefined); // told by each test that waits for it
  });
  afterAll(() => registry.stop());

  it('comes to its end, each distinct problem solved once, whichever cluster asked it first', async ({ expect }) => {
    const { solved } = await undisturbed;
    expect(solved.length).toBeGreaterThan(0);
    expect(solved.toSorted()).toEqual([...new Set(solved)].toSorted());
  });

  const rows = everyFaultAtEveryChapter
    .filter((_, index) => TOLD.includes(index))
    .map((disturbances, index) => ({ disturbances, number: index + 1, name: describeDisturbances(disturbances) }));
  it.for(rows)('comes to the same end though $name', async ({ disturbances, number }, { expect }) => {
    const { dumps } = await play(disturbances, number);
    expect(dumps).toEqual((await undisturbed).dumps);
  });
});
