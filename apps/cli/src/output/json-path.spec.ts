import { describe, expect, it } from 'vitest';
import { jsonPathTemplate, jsonPathText } from './json-path.js';

const list = {
  items: [
    { name: 'a', tags: ['x', 'y'], labels: { 'b/c': 1 } },
    { name: 'd', tags: [] },
  ],
};

describe('JSONPath as in kubectl', () => {
  it.each([
    { text: '{.items[*].name}', prints: 'a d' },
    { text: '{$.items[0].name}', prints: 'a' },
    { text: '{.items[-1].name}', prints: 'd' },
    { text: "{.items[0].labels['b/c']}", prints: '1' },
    { text: '{.items[0].tags}', prints: '["x","y"]' },
    { text: '{.items[0].nothing}', prints: '' },
    { text: 'names: {.items[*].name}{"\\n"}', prints: 'names: a d\n' },
    { text: '{range .items[*]}{.name}: {range .tags[*]}<{.}>{end}{"\\t"}{end}', prints: 'a: <x><y>\td: \t' },
  ])('$text', ({ text, prints }) => {
    expect(jsonPathText(jsonPathTemplate(text), list)).toBe(prints);
  });

  it.each(['{.items[?(@.name=="a")]}', '{.items', '{end}', '{range .items[*]}', '{..name}', '{.a b}'])(
    'refuses %s in one line',
    (text) => {
      expect(() => jsonPathTemplate(text)).toThrow(/^cannot read the JSONPath [^\n]*use -o json and jq$/);
    },
  );
});
