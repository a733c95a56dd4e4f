import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goYaml } from '../../catalog/write/go-yaml-text.js';
import { anyText } from '../text/any-text.fixture.js';
import { goJson, indentedJson } from './go-json-text.js';

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

/** What Go writes, said plainly. */
function plainly(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(plainly).join(',')}]`;
  if (typeof value === 'string') {
    return JSON.stringify(value.toWellFormed()).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  }
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, inner]) => `${plainly(key)}:${plainly(inner)}`).join(',')}}`;
}

it('writes every value as Go does, and leaves it as it was', () => {
  const texts = fc.oneof(
    anyText({ maxLength: 4 }),
    fc.constantFrom('\\ud83d', '\ud83d', '\u2029', '1', '10', '__proto__'),
  );
  const { value: values } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      texts,
      fc.constantFrom(null, true, -0, 0, 1e21, 0.1),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(texts, tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(values, (value) => {
      const before = structuredClone(value);
      expect(goJson(value)).toBe(plainly(value));
      expect(value).toEqual(before);
    }),
    { seed: Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31), numRuns: 500 },
  );
});

it('writes keys that are numbers in the order of text', () => {
  expect(indentedJson({ 9: 1, 10: 2, a: 3 })).toBe('{\n    "10": 2,\n    "9": 1,\n    "a": 3\n}');
});

describe('goYaml', () => {
  it.each([
    { value: 2 ** 63.5, text: '13043817825332783000', because: 'the digits that JSON has, and noughts' },
    { value: 2 ** 64, text: '1.8446744073709552e+19', because: 'no integer of 64 bits' },
    { value: 1234567.5, text: '1.2345675e+06', because: 'a million and more has an exponent' },
    { value: 123456.5, text: '123456.5', because: 'less has none' },
    { value: 0.00001, text: '1e-05', because: 'nor has what is not tiny' },
    { value: '\u007f', text: '"\\x7F"', because: 'a control character is escaped' },
    { value: { '<<': 1 }, text: '"<<": 1', because: 'a key that is no merge is quoted' },
    { value: '<<', text: '<<', because: 'the key of merges as a value is not' },
  ])('$text: $because', ({ value, text }) => {
    expect(goYaml(value)).toBe(`${text}\n`);
  });
});
