import { describe, expect, it } from 'vitest';
import { leftOf } from './left-of.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');

describe('what is left of a pause of ten seconds', () => {
  it.each([
    { because: 'it begins now', ago: 0, left: 10 },
    { because: 'a part is over', ago: 4, left: 6 },
    { because: 'it is over', ago: 11, left: 0 },
    { because: 'the clock was set back a little since', ago: -3, left: 10 },
    { because: 'it began an hour from now, when the clock was ahead', ago: -3_600, left: 0 },
  ])('$because: $left s', ({ ago, left }) => {
    expect(leftOf(10_000, NOW - ago * 1_000, NOW)).toBe(left * 1_000);
  });
});
