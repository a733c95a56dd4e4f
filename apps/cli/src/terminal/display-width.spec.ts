import { describe, expect, it } from 'vitest';
import { cutTo, displayWidth, padded } from './display-width.js';

describe('the width of a text in a terminal', () => {
  it.each([
    { text: '', width: 0 },
    { text: 'harbor', width: 6 },
    { text: 'café', width: 4 },
    { text: 'cafe\u0301', width: 4 },
    { text: '운영자', width: 6 },
    { text: '日本語', width: 6 },
    { text: 'カタカナ', width: 8 },
    { text: 'ｶﾀｶﾅ', width: 4 },
    { text: 'ＡＢ', width: 4 },
    { text: '🚀', width: 2 },
    { text: '👩‍🚀', width: 2 },
    { text: '🇪🇺', width: 2 },
    { text: '→ …', width: 3 },
  ])('$text: $width', ({ text, width }) => {
    expect(displayWidth(text)).toBe(width);
    expect(displayWidth(padded(text, 10))).toBe(10);
  });

  it('counts each letter, punctuation mark and arrow alone as among ideographs', () => {
    const ranges = [
      [0x20, 0x2ff],
      [0x2010, 0x205e],
      [0x2190, 0x21ff],
    ] as const;
    const alone = ranges
      .flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)))
      .filter((one) => displayWidth(one) === 1);
    expect(alone.length).toBeGreaterThan(600);
    expect(alone.filter((one) => displayWidth(`日${one}本`) !== 5)).toEqual([]);
    expect(alone.filter((one) => displayWidth(`a${one}a`) !== 3)).toEqual([]);
  });

  it.each([
    { text: 'lighthouse', width: 10, shown: 'lighthouse' },
    { text: 'lighthouse', width: 6, shown: 'light…' },
    { text: '日本語', width: 4, shown: '日…' },
    { text: '日本語', width: 5, shown: '日本…' },
    { text: '👩‍🚀👩‍🚀', width: 3, shown: '👩‍🚀…' },
  ])('$text cut to $width is $shown', ({ text, width, shown }) => {
    expect(cutTo(text, width)).toBe(shown);
    expect(displayWidth(cutTo(text, width))).toBeLessThanOrEqual(width);
  });
});
