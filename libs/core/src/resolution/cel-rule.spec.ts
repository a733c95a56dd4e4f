import { describe, expect, it } from 'vitest';
import { compileCelRule } from './cel-rule.js';

describe('CEL rules from outside', () => {
  it.each([
    {
      because: 'a regular expression can take for ever',
      rule: "'aaaa'.matches('^(a+)+$')",
      says: /matches is not supported/,
    },
    {
      because: 'it hides in an argument',
      rule: "[true].exists(x, x || 'a'.matches('a'))",
      says: /matches is not supported/,
    },
    { because: 'nested macros multiply', rule: '[1].all(a, [1].all(b, [1].all(c, true)))', says: /nests list macros/ },
    { because: 'it is too long', rule: `true${' || true'.repeat(1000)}`, says: /longer than/ },
    { because: 'it nests too deep', rule: `${'('.repeat(500)}true${')'.repeat(500)}`, says: /failed to compile/ },
    { because: 'OLM has no such function', rule: "'A'.lowerAscii() == 'a'", says: /lowerAscii/ },
    { because: 'it is no yes or no', rule: 'size(properties)', says: /must have type Bool/ },
    { because: 'it is no CEL', rule: 'if (', says: /failed to compile/ },
  ])('are refused: $because', ({ rule, says }) => {
    expect(compileCelRule(rule)).toEqual({ error: expect.stringMatching(says) });
  });

  it('are not met by a bundle with more properties than are looked through', () => {
    const rule = compileCelRule('properties.all(p, true)');
    const properties = Array.from({ length: 1001 }, () => ({ type: 'x', value: 1 }));
    if ('error' in rule) return expect.fail(rule.error);
    expect([rule.holds(properties), rule.holds(properties.slice(1))]).toEqual([false, true]);
  });
});
