import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import {
  type Disturbances,
  describeDisturbances,
  everyFaultAtEveryChapter,
  playDisturbed,
} from '../story/disturbed-story.js';
import type { Dump } from '../story/normalised-dump.js';

/** Two stories in which every fault occurs; the end-to-end suite plays all. */
const TOLD = [0, 3];

describe.concurrent('a story in which things go wrong ends as one in which nothing does', () => {
  let registry: InMemoryRegistry;
  let undisturbed: Promise<Readonly<Record<string, Dump>>>;
  const play = (disturbances: Disturbances, number: number) =>
    playDisturbed({ disturbances, registry, catalogImage: `stories/number-${number}:latest` });

  beforeAll(async () => {
    registry = await startRegistry();
    undisturbed = play({}, 0);
    undisturbed.catch(() => undefined); // told by each test that waits for it
  });
  afterAll(() => registry.stop());

  const rows = everyFaultAtEveryChapter
    .filter((_, index) => TOLD.includes(index))
    .map((disturbances, index) => ({ disturbances, number: index + 1, name: describeDisturbances(disturbances) }));
  it.each(rows)('$name', async ({ disturbances, number }) => {
    const dumps = await play(disturbances, number);
    expect(dumps).toEqual(await undisturbed);
  });
});
