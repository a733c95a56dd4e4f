import { describe, expect, it } from 'vitest';
import { visibleText } from './visible-text.js';

describe('visibleText', () => {
  it.each([
    { text: '\x1b]0;PWNED\x07', shown: String.raw`\x1b]0;PWNED\x07`, because: 'an escape sequence with its bell' },
    { text: 'done\r\nFAKE', shown: 'done\\x0d\nFAKE', because: 'a carriage return; a line feed stays' },
    { text: 'a\tb\n', shown: 'a\tb\n', because: 'a tab stays' },
    { text: '\0\x08\x0b\x0c\x1f', shown: String.raw`\x00\x08\x0b\x0c\x1f`, because: 'the others of C0' },
    { text: '\x7f', shown: String.raw`\u007f`, because: 'delete' },
    { text: '\x9b2J\x80', shown: String.raw`\u009b2J\u0080`, because: 'C1, whose x9b begins a sequence by itself' },
    { text: '\u202egpj\u2066\u2069', shown: String.raw`\u202egpj\u2066\u2069`, because: 'overrides of direction' },
    { text: 'née 日本 ⛵ שלום', shown: 'née 日本 ⛵ שלום', because: 'letters of all scripts stay' },
  ])('$because', ({ text, shown }) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('leaves the value of JSON as it is', () => {
    const value = { 'key\x9b': 'a\x1b[2J\x7f\u202e\r\n\t"\\' };
    expect(JSON.parse(visibleText(JSON.stringify(value)))).toEqual(value);
  });
});
