import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byCodeUnit, canonicalHash, canonicalJson } from './canonical-json.js';

/** The definition, word by word: entries without undefined, sorted by code unit, made an object again. */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  entries.sort(([a], [b]) => byCodeUnit(a, b));
  return Object.fromEntries(entries.map(([key, inner]) => [key, defined(inner)]));
}

const KEYS = ['a', 'B', 'b', '10', '9', '', 'é', '\u{1f600}', '\uffff', 'toString', '__proto__'];
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, undefined, true, 0, -0, 1.5, '', 'a'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('canonicalJson', () => {
  it('writes any value as its definition says', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(JSON.stringify(defined(value)));
      }),
      { numRuns: 5_000 },
    );
  });

  it('keeps a key __proto__ as it is', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"z":1,"a":2}}'))).toBe('{"__proto__":{"a":2,"z":1},"b":1}');
  });

  it('has the hash of its bytes', () => {
    expect(canonicalHash({ b: 1, a: 'é' })).toBe(canonicalHash({ a: 'é', b: 1 }));
    expect(canonicalHash({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });
});
