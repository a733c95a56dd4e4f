import { expect, it } from 'vitest';
import { allowedHops, type PathStop } from './allowed-path.js';

const stop = (version: string): PathStop => ({ to: `kafka.v${version}`, version });
const denied = (...versions: readonly string[]) =>
  versions.map((version) => ({ bundle: `kafka.v${version}`, rollout: 'p/kafka-1' }));
const PATH = [stop('2.3.1'), stop('2.4.0'), stop('3.0.0')] as const;
const END = 'kafka.v3.0.0';
const NO_RULES = { versions: undefined, denied: [], lifted: undefined };

it.each([
  ['all where nothing is in the way', {}, 3],
  ['those before a version that is out of range', { versions: { range: '<3.0.0' } }, 2],
  ['those before a version that versions denies', { versions: { deny: ['2.4.0'] } }, 1],
  ['those before a bundle that was taken back', { denied: denied('3.0.0') }, 2],
  ['none over a first one that was taken back', { denied: denied('2.3.1') }, 1],
  ['those up to one that is tried again', { denied: denied('2.4.0'), lifted: 'kafka.v2.4.0' }, 2],
  ['those before another one that was taken back', { denied: denied('2.4.0'), lifted: 'kafka.v3.0.0' }, 1],
  ['all to one that is tried again with what failed before it', { denied: denied('2.3.1', '3.0.0'), lifted: END }, 3],
])('a cluster may take %s', (_which, rules, hops) => {
  expect(allowedHops(PATH, { ...NO_RULES, ...rules })).toEqual({ hops });
});

it('a cluster takes none where versions refuses the first, and why', () => {
  expect(allowedHops(PATH, { ...NO_RULES, versions: { range: '>=2.4.0' } })).toEqual({
    refused: 'spec.versions.range >=2.4.0 excludes 2.3.1',
  });
});

it('a version that its plan does not say ends the path only where versions asks for it', () => {
  const path = [stop('2.3.1'), { to: 'kafka.next', version: undefined }] as const;
  expect(allowedHops(path, NO_RULES)).toEqual({ hops: 2 });
  expect(allowedHops(path, { ...NO_RULES, versions: { range: '>=2.0.0' } })).toEqual({ hops: 1 });
});
