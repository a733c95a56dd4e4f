import { describe, expect, it } from 'vitest';
import { byChannelVersion, firstChannels, rangeText, shortMark } from './graph-texts.js';

describe('a skipRange in words', () => {
  it.each([
    ['>=1.27.0 <1.28.0', '1.28.0', 'from ≥ 1.27.0'],
    ['>=1.27.0 <1.28.0', '1.28.3', 'from ≥ 1.27.0, < 1.28.0'],
    ['>=1.27.0, <1.28.0', '1.28.0', 'from ≥ 1.27.0'],
    ['<1.28.0', '1.28.0', 'from any older'],
    ['>= 1.0.0', '1.28.0', 'from ≥ 1.0.0'],
    ['>1.0.0 <=1.28.0', '1.28.3', 'from > 1.0.0, ≤ 1.28.0'],
    ['<=1.28.0', '1.28.0', 'from ≤ 1.28.0'],
    ['1.x || >=2.0.0', '3.0.0', 'from 1.x || >=2.0.0'],
    ['', '1.0.0', ''],
  ])('%j of %s: %s', (range, version, text) => expect(rangeText(range, version)).toBe(text));
});

describe('the short mark of a bundle', () => {
  it.each([
    ['quay-operator.v3.6.0', '3.6.0'],
    ['sailoperator.1.0.0-rc.1', '1.0.0-rc.1'],
    ['without-version', 'without-version'],
    [`lamp.v1.0.0-${'x'.repeat(60)}end`, '1.0.0-xxxxx…xxxxxxxxxend'],
  ])('%s: %s', (bundle, mark) => expect(shortMark(bundle)).toBe(mark));
});

it('channels stand in the order of their versions, the newest first', () => {
  const names = ['stable-3.6', 'stable-3.16', 'stable-3.17', 'alpha', 'stable-3.9', 'stable', 'v2-1.0', 'v10-1.0'];
  const sorted = ['alpha', 'stable', 'stable-3.17', 'stable-3.16', 'stable-3.9', 'stable-3.6', 'v10-1.0', 'v2-1.0'];
  expect(names.toSorted(byChannelVersion)).toEqual(sorted);
  const long = '9'.repeat(400);
  expect([`a${long}`, `a1${long}`].toSorted(byChannelVersion)).toEqual([`a${long}`, `a1${long}`].toReversed());
});

describe('the channels that are shown at first', () => {
  const channel = (name: string, clusters = 0, ...bundles: readonly string[]) => ({
    ...{ name, clusters, nodes: bundles.map((bundle) => ({ bundle })) },
  });
  const ALL = [channel('alpha', 0, 'a'), channel('fast', 7, 'f'), channel('stable', 3, 's')];
  it.each([
    ['the followed and the default one', { followed: 'alpha', from: 'a' }, ['alpha', 'stable']],
    ['once if both are the same', { followed: 'stable', from: '' }, ['stable']],
    ['the one with the beginning of the path', { followed: '', from: 'a' }, ['alpha', 'stable']],
    ['the one of most clusters', { followed: '', from: '' }, ['fast', 'stable']],
    ['not one that is gone', { followed: 'gone', from: 's' }, ['stable']],
  ])('%s', (_, asked, names) => expect(firstChannels(ALL, { defaultChannel: 'stable', ...asked })).toEqual(names));

  it('are the default one alone if it has the beginning of the path, too', () => {
    const both = [channel('alpha', 0, 's'), channel('stable', 0, 's')];
    expect(firstChannels(both, { defaultChannel: 'stable', followed: '', from: 's' })).toEqual(['stable']);
  });

  it('are at least one', () => {
    const asked = { defaultChannel: 'gone', followed: '', from: '' };
    expect(firstChannels([channel('a'), channel('b')], asked)).toEqual(['a']);
  });
});
