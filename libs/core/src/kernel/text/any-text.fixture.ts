import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };

/**
 * Any character of Unicode. That of fast-check's `unit: 'binary'` makes a table of all million of them
 * before the first text, in each process.
 */
const anyCharacter = fc.nat({ max: 0x10ffff - SURROGATES.count }).map(
  (at) => String.fromCodePoint(at < SURROGATES.from ? at : at + SURROGATES.count),
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== character) throw new Error('not one character');
    return point < SURROGATES.from ? point : point - SURROGATES.count;
  },
);

/** Generates any text, and more often than by chance names that objects of JavaScript inherit. */
export const anyText = (constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: anyCharacter });
