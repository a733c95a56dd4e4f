import { describe, expect, it } from 'vitest';
import { parseGoDuration } from './go-duration.js';

describe('parseGoDuration', () => {
  it.each([
    { text: '15m', gives: { ms: 900_000 }, because: 'the usual poll interval' },
    { text: '1h30m', gives: { ms: 5_400_000 }, because: 'units add up' },
    { text: '1.5s', gives: { ms: 1_500 }, because: 'fractions are allowed' },
    { text: '0', gives: { ms: 0 }, because: 'zero needs no unit' },
    { text: '-10s', gives: { ms: -10_000 }, because: 'a sign is allowed' },
    { text: '', gives: { error: 'time: invalid duration ""' }, because: 'an empty interval is reported, not guessed' },
    { text: '10', gives: { error: 'time: missing unit in duration "10"' }, because: 'a bare number means nothing' },
    { text: '5 m', gives: { error: 'time: missing unit in duration "5 m"' }, because: 'blanks are no part of it' },
    { text: 'soon', gives: { error: 'time: invalid duration "soon"' }, because: 'words are no part of it' },
  ])('$text: $because', ({ text, gives }) => {
    expect(parseGoDuration(text)).toEqual(gives);
  });
});
