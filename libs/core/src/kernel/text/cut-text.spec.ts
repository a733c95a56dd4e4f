import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from './any-text.fixture.js';
import { cutText } from './cut-text.js';

describe('a text of so many characters at most', () => {
  it.each([
    ['', 3, ''],
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['🚢🚢🚢', 3, '🚢🚢🚢'],
    ['🚢🚢🚢🚢', 3, '🚢🚢…'],
    ['a🚢', 1, '…'],
  ])('of %j and %i is %j', (text, most, wanted) => expect(cutText(text, most)).toBe(wanted));

  it('has no half of a character', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 1, max: 12 }), (text, most) => {
        const cut = cutText(text, most);
        expect([...cut].length).toBeLessThanOrEqual(most);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut === text || text.startsWith(cut.slice(0, -1))).toBe(true);
      }),
    );
  });
});
