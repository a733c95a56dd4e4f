import { describe, expect, it } from 'vitest';
import { sentence } from './diagnosis.js';

describe('sentence', () => {
  it.each([
    ['two\n lines', 'two lines.'],
    ['ends already.', 'ends already.'],
    ['asks?', 'asks?'],
  ])('%j', (text, expected) => expect(sentence(text)).toBe(expected));
});
