import { describe, expect, it } from 'vitest';
import { didYouMean } from './did-you-mean.js';

const KINDS = ['subscriptions', 'subscription', 'sub', 'installplan', 'csv', 'catalogs', 'catalogsource'];

describe('didYouMean', () => {
  it.each([
    { typed: 'subscripton', says: ' (did you mean "subscription"?)', because: 'a missing letter' },
    { typed: 'subscripions', says: ' (did you mean "subscriptions"?)', because: 'the nearest wins' },
    { typed: 'catalgos', says: ' (did you mean "catalogs"?)', because: 'two neighbours swapped' },
    { typed: 'CSV', says: ' (did you mean "csv"?)', because: 'capital letters' },
    { typed: 'install', says: ' (did you mean "installplan"?)', because: 'the beginning of a name' },
    { typed: 'pods', says: '', because: 'no known name is near' },
    { typed: 'c', says: '', because: 'one letter fits too much' },
    { typed: '', says: '', because: 'nothing was typed' },
    { typed: 'a'.repeat(10_000), says: '', because: 'it is longer than any name' },
  ])('says "$says" to "$typed": $because', ({ typed, says }) => {
    expect(didYouMean(typed, KINDS)).toBe(says);
  });

  it('names at most three that are equally near, in one order', () => {
    const says = ' (did you mean "v1.0.0" or "v1.0.1" or "v1.0.2"?)';
    expect(didYouMean('v1.0.9', ['v1.0.2', 'v1.0.3', 'v1.0.1', 'v1.0.0', 'v1.0.1'])).toBe(says);
  });
});
