import { describe, expect, it } from 'vitest';
import { formatGoDuration, parseGoDuration } from './go-duration.js';

describe('parseGoDuration', () => {
  it.each([
    { text: '15m', gives: { ms: 900_000 }, because: 'the usual poll interval' },
    { text: '1h30m', gives: { ms: 5_400_000 }, because: 'units add up' },
    { text: '1.5s', gives: { ms: 1_500 }, because: 'fractions are allowed' },
    { text: '0', gives: { ms: 0 }, because: 'zero needs no unit' },
    { text: '-10s', gives: { ms: -10_000 }, because: 'a sign is allowed' },
    { text: '', gives: { error: 'time: invalid duration ""' }, because: 'an empty interval is reported, not guessed' },
    { text: '10', gives: { error: 'time: missing unit in duration "10"' }, because: 'a bare number means nothing' },
    { text: '5 m', gives: { error: 'time: unknown unit " m" in duration "5 m"' }, because: 'blanks are no part of it' },
    {
      text: '45mError.code',
      gives: { error: 'time: unknown unit "mError" in duration "45mError.code"' },
      because: 'a unit goes on to the next digit or dot',
    },
    { text: '1d', gives: { error: 'time: unknown unit "d" in duration "1d"' }, because: 'days are unknown' },
    { text: '1M', gives: { error: 'time: unknown unit "M" in duration "1M"' }, because: 'units are written small' },
    { text: '1h2', gives: { error: 'time: missing unit in duration "1h2"' }, because: 'each number has its unit' },
    { text: '1.h', gives: { ms: 3_600_000 }, because: 'a dot may end a number' },
    { text: '.5s', gives: { ms: 500 }, because: 'or begin it' },
    { text: '.s', gives: { error: 'time: invalid duration ".s"' }, because: 'a dot is no number' },
    { text: '1..s', gives: { error: 'time: missing unit in duration "1..s"' }, because: 'one dot ends the fraction' },
    { text: '--1s', gives: { error: 'time: invalid duration "--1s"' }, because: 'one sign is enough' },
    { text: '+1s', gives: { ms: 1_000 }, because: 'plus is a sign, too' },
    { text: '1\u00b5s', gives: { ms: 0.001 }, because: 'the micro sign' },
    { text: '1\u03bcs', gives: { ms: 0.001 }, because: 'the Greek letter' },
    {
      text: '3\u00e4"',
      gives: { error: 'time: unknown unit "\\xc3\\xa4\\"" in duration "3\\xc3\\xa4\\""' },
      because: 'Go shows other letters as bytes',
    },
    { text: '2562047h', gives: { ms: 9_223_369_200_000 }, because: 'hours of 292 years' },
    { text: '2562048h', gives: { error: 'time: invalid duration "2562048h"' }, because: 'more is an overflow' },
    {
      text: '99999999999999999999s',
      gives: { error: 'time: invalid duration "99999999999999999999s"' },
      because: 'so is this',
    },
    {
      text: '1constructor',
      gives: { error: 'time: unknown unit "constructor" in duration "1constructor"' },
      because: 'no unit is inherited',
    },
    { text: 'soon', gives: { error: 'time: invalid duration "soon"' }, because: 'words are no part of it' },
  ])('$text: $because', ({ text, gives }) => {
    expect(parseGoDuration(text)).toEqual(gives);
  });
});

describe('a duration as Go writes it', () => {
  it.each(['0s', '1ns', '1.5µs', '300ms', '1.5s', '1m0s', '59m59.5s', '1h0m0s', '17520h0m1s', '-2m0.25s'])(
    '%s',
    (text) => {
      const parsed = parseGoDuration(text);
      expect('ms' in parsed && formatGoDuration(parsed.ms)).toBe(text);
    },
  );
});
