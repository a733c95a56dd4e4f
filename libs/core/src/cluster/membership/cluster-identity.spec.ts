import { describe, expect, it } from 'vitest';
import { identityRefusal } from './cluster-identity.js';

describe('the identity of a cluster', () => {
  it.each([
    { because: 'it was never reached', expected: undefined, found: '1', sameServer: false, refusal: undefined },
    { because: 'it is the same', expected: '1', found: '1', sameServer: false, refusal: undefined },
    {
      because: 'it is another',
      expected: '1',
      found: '2',
      sameServer: false,
      refusal: /now leads to another cluster.* is 2; .* was 1/,
    },
    {
      because: 'another answers at its address',
      expected: '1',
      found: '2',
      sameServer: true,
      refusal: /now leads to another cluster/,
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
