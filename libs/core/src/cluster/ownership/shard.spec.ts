import { describe, expect, it } from 'vitest';
import { shardOf, shardWeights } from './shard.js';

describe('the shard of a cluster', () => {
  it.each([
    ['east', 16, 11],
    ['west', 16, 0],
    ['kind-kind', 16, 2],
    ['east', 1, 0],
    ['east', 256, 43],
  ])('%s of %i is %i in every release', (cluster, shards, shard) => {
    expect(shardOf(cluster, shards)).toBe(shard);
  });

  it('is any of them for the names of a fleet, about as often each', () => {
    const counts = Array.from({ length: 16 }, () => 0);
    for (let at = 0; at < 16_000; at += 1) {
      const shard = shardOf(`cluster-${at}`, 16);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1_150);
  });
});

describe('the weight of a shard', () => {
  it('grows with its clusters, and one cluster outweighs all shards without any', () => {
    expect(shardWeights(['east', 'west'], 4)).toEqual([5, 1, 1, 5]);
    expect(shardWeights(['east', 'east-b', 'west'], 1)).toEqual([4]);
    expect(shardWeights([], 3)).toEqual([1, 1, 1]);
  });
});
