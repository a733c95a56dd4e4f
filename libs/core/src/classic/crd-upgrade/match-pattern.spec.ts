import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesPattern } from './match-pattern.js';

describe('patterns of schemas', () => {
  it.each<[why: string, pattern: string, text: string, expected: boolean | undefined]>([
    ['a DNS name', '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$', 'a-b.c-d', true],
    ['not a DNS name', '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$', 'a-.c', false],
    ['a duration', '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$', '1h30m', true],
    ['without anchors a part is enough', 'b', 'abc', true],
    ['counted', '^a{2,3}$', 'aaaa', false],
    ['counted exactly', '^\\d{4}-\\d{2}$', '2026-01', true],
    ['at least', '^a{2,}$', 'aaaaa', true],
    ['a brace that counts nothing', '^a{x}$', 'a{x}', true],
    ['negated class', '^[^/]+$', 'a/b', false],
    ['a bracket first in a class', '^[]a]+$', ']a', true],
    ['class escapes', '^[\\w.-]+$', 'a.b-c_1', true],
    ['a quantity', '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|)$', '10Gi', true],
    ['a named group of Go', '^(?P<year>\\d+)$', '2026', true],
    ['an empty alternative', '^(|https?://.*)$', '', true],
    ['a repeated empty part ends', '^(a*)*$', 'aab', false],
    ['a newline is not any character', '^.$', '\n', false],
    ['$ is the very end, as in Go', '^a$', 'a\n', false],
    ['a character beyond the first plane is one', '^.$', '🛟', true],
    ['flags are not known: passed over', '(?i)abc', 'ABC', undefined],
    ['word borders are not known', '\\bfoo\\b', 'foo', undefined],
    ['broken', '^(a', 'a', undefined],
    ['too often for Go', 'a{1001}', 'a', undefined],
    ['too big a program', '^((a{100}){100}){100}$', 'a', undefined],
  ])('%s', (_why, pattern, text, expected) => {
    expect(matchesPattern(pattern, text)).toBe(expected);
  });

  it('answers fast where backtracking would run for years', () => {
    expect(matchesPattern('^(a+)+$', `${'a'.repeat(5_000)}!`)).toBe(false);
    expect(matchesPattern('^(.*a){12}b$', 'a'.repeat(2_000))).toBe(false);
  });

  it("agrees with the language's own matcher on small patterns", () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '(a|b)',
      '(?:ab)',
      'a*',
      'b+',
      'a?',
      '(ab)*',
      'a{1,2}',
    );
    const pattern = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, fc.boolean(), (inner, value, anchored) => {
        const source = anchored ? `^${inner}$` : inner;
        expect(matchesPattern(source, value)).toBe(new RegExp(source, 'u').test(value));
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});
