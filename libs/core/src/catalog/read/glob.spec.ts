import { describe, expect, it } from 'vitest';
import { compileGlob } from './glob.js';

describe('compileGlob', () => {
  it.each([
    ['*.md', 'a.md', true, 'star'],
    ['*', '', true, 'star matches nothing too'],
    ['a?c', 'abc', true, 'one character'],
    ['a?c', 'aéc', true, 'a character, not a byte'],
    ['[a-c]x', 'bx', true, 'a range'],
    ['[^a-c]x', 'bx', false, 'a negated range'],
    ['\\*', '*', true, 'an escaped star'],
    ['\\*', 'a', false, 'which is no star'],
    ['a*b*c', 'aXbXbc', true, 'stars go back'],
    ['a*b*c', 'aXbXb', false, 'and give up'],
  ])('%s on %s: %s (%s)', (pattern, name, matches) => {
    expect(compileGlob(pattern)?.(name)).toBe(matches);
  });

  it.each(['[', '[]', '[a', '[a-', '[-]', 'a\\', '[^]'])('%s is malformed', (pattern) => {
    expect(compileGlob(pattern)).toBeUndefined();
  });

  it('stays quick on patterns made to be slow', () => {
    expect(compileGlob('*a'.repeat(2000))?.('a'.repeat(1999))).toBe(false);
  });
});
