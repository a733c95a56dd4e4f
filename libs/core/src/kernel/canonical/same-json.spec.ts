import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.js';
import { sameJson } from './same-json.js';

/** Few keys and values, so that equal ones and nearly equal ones are frequent. */
const json = fc.letrec((tie) => ({
  leaf: fc.constantFrom<unknown>(null, undefined, true, 0, -0, 1, '', 'a', '0'),
  value: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0', 'toString', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
};

describe('sameJson', () => {
  it('says of any two values what comparing their canonical JSON says', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(sameJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
      }),
      { numRuns: 5_000 },
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(sameJson(value, reversed(value))).toBe(true);
      }),
    );
  });

  it.each([
    { a: { a: 1 }, b: { a: 1, b: undefined }, same: true },
    { a: {}, b: [], same: false },
    { a: [undefined], b: [null], same: true },
    { a: { a: null }, b: {}, same: false },
    { a: JSON.parse('{"__proto__":1}') as unknown, b: {}, same: false },
    { a: { toString: undefined }, b: {}, same: true },
  ])('of $a and $b: $same', ({ a, b, same }) => {
    expect(sameJson(a, b)).toBe(same);
    expect(sameJson(b, a)).toBe(same);
  });
});
