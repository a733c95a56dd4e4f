import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { describeDisturbances, everyFaultAtEveryStep, playDisturbed } from '../story/disturbed-story.js';

/** One scenario. The end-to-end suite plays all of them, with every fault at every step. */
const [disturbances = {}] = everyFaultAtEveryStep;

describe('an operator with its dependency on two simulated clusters, upgraded over two hops', () => {
  let registry: InMemoryRegistry;
  beforeAll(async () => {
    registry = await startRegistry();
  });
  afterAll(() => registry.stop());

  it(`comes to its end though ${describeDisturbances(disturbances)}`, async () => {
    const { dumps, solved } = await playDisturbed({ disturbances, registry, catalogImage: 'stories/catalog:latest' });
    expect(Object.keys(dumps)).toHaveLength(2);
    expect(solved.length).toBeGreaterThan(0);
  });
});
