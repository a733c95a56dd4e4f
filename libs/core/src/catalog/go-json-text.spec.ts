import { describe, expect, it } from 'vitest';
import { goJson } from './go-json-text.js';

describe('goJson', () => {
  it.each([
    { value: { b: 1, a: { d: [], c: {} } }, text: '{"a":{"c":{},"d":[]},"b":1}', because: 'keys come sorted' },
    { value: '<a href="&">', text: '"<a href=\\"&\\">"', because: 'HTML stays as it is' },
    { value: '\u2028\u2029', text: '"\\u2028\\u2029"', because: 'line separators are escaped all the same' },
    { value: '\ud83d', text: '"\uFFFD"', because: 'half a surrogate pair is no character' },
    { value: '🐙', text: '"🐙"', because: 'a whole pair is one' },
    { value: [-0, 1e21, 1e-7, 1.5], text: '[-0,1e+21,1e-7,1.5]', because: 'numbers as Go writes them' },
    { value: JSON.parse('{"__proto__":1}'), text: '{"__proto__":1}', because: 'a key is a key' },
  ])('$text: $because', ({ value, text }) => {
    expect(goJson(value)).toBe(text);
  });
});
