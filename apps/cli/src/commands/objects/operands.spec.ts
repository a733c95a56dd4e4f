import { describe, expect, it } from 'vitest';
import { operandsOf, placeWith } from './operands.js';

describe('operands', () => {
  it.each([
    [['sub,csv'], [{ kinds: ['sub', 'csv'], names: [] }]],
    [['sub', 'a', 'b'], [{ kinds: ['sub'], names: ['a', 'b'] }]],
    [['sub/a'], [{ kinds: ['sub'], names: ['a'] }]],
    [
      ['subscription.operators.coreos.com/a', 'ip/b'],
      [
        { kinds: ['subscription.operators.coreos.com'], names: ['a'] },
        { kinds: ['ip'], names: ['b'] },
      ],
    ],
    [
      ['east/team/subscription.operators.coreos.com/a'],
      [{ kinds: ['subscription.operators.coreos.com'], names: ['a'], cluster: 'east', namespace: 'team' }],
    ],
    [
      ['arn:aws:eks:eu-1:1:cluster/east/team/csv/a.v1'],
      [{ kinds: ['csv'], names: ['a.v1'], cluster: 'arn:aws:eks:eu-1:1:cluster/east', namespace: 'team' }],
    ],
    [
      ['east/clusterextension.olm.operatorframework.io/a'],
      [{ kinds: ['clusterextension.olm.operatorframework.io'], names: ['a'], cluster: 'east' }],
    ],
  ])('%j', (words, operands) => {
    expect(operandsOf(words)).toEqual(operands);
  });

  it.each([
    ['sub/', 'b'],
    ['sub/a', 'b'],
    ['/a'],
    ['east//sub/a'],
    ['team/sub/a'],
    ['east/team/pods/a'],
    ['east/team/subscription.olm.operatorframework.io/a'],
  ])('refuses %j', (...words) => {
    expect(() => operandsOf(words)).toThrow(/^(cannot read|there is no kind) /);
  });
});

describe('where objects are', () => {
  const named = operandsOf(['east/team/sub/a', 'west/team/sub/a']);

  it('is what the names say', () => {
    expect(placeWith({}, named)).toEqual({ cluster: ['east', 'west'] });
    expect(placeWith({ cluster: ['east', 'west', 'north'] }, named)).toEqual({ cluster: ['east', 'west', 'north'] });
    expect(placeWith({ namespace: 'team' }, named)).toMatchObject({ namespace: 'team' });
  });

  it('is every cluster if a name says none', () => {
    expect(placeWith({}, [...named, ...operandsOf(['sub/b'])])).toEqual({});
  });

  it.each([
    [{ cluster: ['east'] }, /^-C excludes cluster "west"/],
    [{ namespace: 'other' }, /^-n excludes namespace "team"/],
  ])('contradicts %j', (options, says) => {
    expect(() => placeWith(options, named)).toThrow(says);
  });
});
