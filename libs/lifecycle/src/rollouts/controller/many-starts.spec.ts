import { afterEach, describe, expect, it } from 'vitest';
import { storedState } from '../assignments/stored-rollout.js';
import { ordered, plannedClusters, succeed } from './planned-clusters.fixture.js';
import type { PlayedFleet } from './rollouts.fixture.js';

const NAMES = Array.from({ length: 250 }, (_, at) => `shop-${at}`);
const WAVES = [
  { name: 'first', count: 1 },
  { name: 'others', maxConcurrent: '100%' },
];

let fleet: PlayedFleet | undefined;
afterEach(() => fleet?.stop());

describe('a rollout that starts many clusters at once', () => {
  it('names at most a hundred of them in its object before it orders them: annotations have 256 KiB', async () => {
    const played = await plannedClusters(NAMES, WAVES);
    fleet = played;
    const { controller, hub } = played;
    for (let left = 2; left > 0; left--) await controller.pass();
    const [first = '', ...none] = ordered(played);
    expect(none).toEqual([]);
    succeed(played, first);
    const named: number[] = [];
    const stop = hub.cluster.onChange(({ object }) => {
      if (object.kind === 'FleetRollout') named.push(storedState(object)?.intent.length ?? 0);
    });
    for (let left = 3; left > 0; left--) await controller.pass();
    stop();
    expect(ordered(played)).toHaveLength(NAMES.length - 1);
    expect(Math.max(...named)).toBe(100);
  });
});
