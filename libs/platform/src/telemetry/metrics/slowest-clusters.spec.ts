import { expect, it } from 'vitest';
import { SlowestClusters } from './slowest-clusters.js';

const minute = (at: number) => new Date(1_000_000_000_000 + at * 60_000);

it('the slowest clusters: the longest pass of each, at most ten, and none of ten minutes ago', () => {
  const slowest = new SlowestClusters();
  slowest.took('east', 2_100.4, minute(0));
  slowest.took('east', 300, minute(1));
  for (let at = 0; at < 12; at += 1) slowest.took(`west-${at}`, at, minute(1));
  expect(slowest.list(minute(2))).toHaveLength(10);
  expect(slowest.list(minute(2)).slice(0, 2)).toEqual([
    { cluster: 'east', milliseconds: 2_100 },
    { cluster: 'west-11', milliseconds: 11 },
  ]);
  slowest.took('east', 50, minute(6));
  expect(slowest.list(minute(7))[0]).toEqual({ cluster: 'east', milliseconds: 2_100 });
  expect(slowest.list(minute(12))).toEqual([{ cluster: 'east', milliseconds: 50 }]);
  expect(slowest.list(minute(30))).toEqual([]);
});
