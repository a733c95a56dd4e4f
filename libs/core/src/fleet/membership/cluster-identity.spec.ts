import { describe, expect, it } from 'vitest';
import { duplicateRefusals, identityRefusal } from './cluster-identity.js';

describe('the identity of a cluster', () => {
  it.each([
    { because: 'it was never reached', expected: undefined, found: '1', sameServer: false, refusal: undefined },
    { because: 'it is the same', expected: '1', found: '1', sameServer: false, refusal: undefined },
    {
      because: 'it is another',
      expected: '1',
      found: '2',
      sameServer: false,
      refusal: /leads to another cluster now.* is 2, .* was 1/,
    },
    {
      because: 'another answers at its address',
      expected: '1',
      found: '2',
      sameServer: true,
      refusal: /leads to another cluster now/,
    },
    { because: 'the login may not read it', expected: '1', found: undefined, sameServer: true, refusal: undefined },
    {
      because: 'it cannot be told at another address',
      expected: '1',
      found: undefined,
      sameServer: false,
      refusal: /leads to another address.*grant get/,
    },
  ])('where $because', ({ expected, found, sameServer, refusal }) => {
    const text = identityRefusal({ cluster: 'east', file: 'config', expected, found, sameServer });
    if (refusal === undefined) expect(text).toBeUndefined();
    else expect(text).toMatch(refusal);
  });
});

describe('members that stand for one cluster', () => {
  const of = (cluster: string, identity?: string, file = 'config') => ({
    cluster,
    file,
    ...(identity === undefined ? {} : { identity }),
  });

  it('are refused but for the first', () => {
    const refusals = duplicateRefusals([
      of('east', '1'),
      of('west', '2'),
      of('harbour', '1', 'other'),
      of('quay', '1'),
    ]);
    expect([...refusals.keys()]).toEqual(['harbour', 'quay']);
    expect(refusals.get('harbour')).toBe(
      'context "harbour" of other leads to the same cluster as "east" (config), under which it is managed: remove one of them',
    );
  });

  it('are not recognised without an identity', () => {
    expect(duplicateRefusals([of('east'), of('west')])).toEqual(new Map());
  });
});
