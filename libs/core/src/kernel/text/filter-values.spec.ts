import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterValue, filterValues } from './filter-values.js';

describe('the values of a filter', () => {
  it.each([
    ['failed,blocked', ['failed', 'blocked']],
    ['eu-west', ['eu-west']],
    [String.raw`eu\,west`, ['eu,west']],
    [String.raw`corp\admin,eu`, [String.raw`corp\admin`, 'eu']],
    [String.raw`a\\,b`, ['a\\', 'b']],
    ['a\\', ['a\\']],
    ['', ['']],
  ])('%s: %j', (filter, values) => {
    expect(filterValues(filter)).toEqual(values);
  });

  it('are what was joined, whatever characters they have', () => {
    const value = fc.string({ unit: fc.constantFrom('a', ',', '\\', '/', ':', ' ', 'é') });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        expect(filterValues(values.map(filterValue).join(','))).toEqual(values);
      }),
    );
  });
});
