import { describe, expect, it } from 'vitest';
import { jsonPathTemplate, jsonPathText } from './json-path.js';

const list = {
  items: [
    { name: 'a', size: 2, tags: ['x', 'y', 'z'], labels: { 'b/c': 1, 'b.d/c': 'f' } },
    { name: 'd', tags: [], ready: true, note: 'a}b"c' },
  ],
};

describe('JSONPath as in kubectl', () => {
  it.each([
    { text: '{.items[*].name}', prints: 'a d' },
    { text: '{$.items[0].name}', prints: 'a' },
    { text: '{.items[-1].name}', prints: 'd' },
    { text: "{.items[0].labels['b/c']}", prints: '1' },
    { text: '{.items[0].tags}', prints: '["x","y","z"]' },
    { text: '{.items[0].nothing}', prints: '' },
    { text: 'names: {.items[*].name}{"\\n"}', prints: 'names: a d\n' },
    { text: '{range .items[*]}{.name}: {range .tags[*]}<{.}>{end}{"\\t"}{end}', prints: 'a: <x><y><z>\td: \t' },
    { text: '{.items[?(@.name=="a")].size}', prints: '2' },
    { text: "{.items[?(@.name == 'd')].ready}", prints: 'true' },
    { text: '{.items[?(@.size)].name}', prints: 'a' },
    { text: '{.items[?(@.size!=3)].name}', prints: 'a' },
    { text: '{.items[?(@.name!="a")].name}', prints: 'd' },
    { text: '{.items[?(@.size>=2)].name} {.items[?(@.size<2)].name}', prints: 'a ' },
    { text: '{.items[?(@.name>"b")].name}', prints: 'd' },
    { text: '{.items[?(@.ready==true)].name}', prints: 'd' },
    { text: '{.items[?(@.note=="a}b\\"c")].name}', prints: 'd' },
    { text: `{.items[?(@.labels['b/c']==1)].name}`, prints: 'a' },
    { text: '{range .items[?(@.name=="a")]}{.tags[?(@=="y")]}{end}', prints: 'y' },
    { text: '{.items[0].tags[0:2]}', prints: 'x y' },
    { text: '{.items[0].tags[-1:]} {.items[0].tags[::2]}', prints: 'z x z' },
    { text: "{.items[*]['name','size']}", prints: 'a 2 d' },
    { text: '{.items[0].tags[0,2]}', prints: 'x z' },
    { text: '{..name}', prints: 'a d' },
    { text: '{.items[0].labels.b\\.d/c}', prints: 'f' },
    { text: "{range .items[*]}{@.name}{'\\n'}{end}", prints: 'a\nd\n' },
    { text: '{.items.length}', prints: '' },
  ])('$text', ({ text, prints }) => {
    expect(jsonPathText(jsonPathTemplate(text), list)).toBe(prints);
  });

  it.each([
    '{.items[?(@.name=="a" && @.size)]}',
    '{.items[?(@.name=="a" || @.size)]}',
    '{.items[?(@.name=~"a")]}',
    '{.items[?(name=="a")]}',
    '{.items[?()]}',
    '{.items[::0]}',
    '{.items[x]}',
    '{.items[0}',
    '{.items',
    '{.a"}',
    '{end}',
    '{range .items[*]}',
    '{..}',
    '{.a b}',
    `{.${'a.'.repeat(70)}a}`,
  ])('refuses %s in one line', (text) => {
    expect(() => jsonPathTemplate(text)).toThrow(/^cannot read the JSONPath [^\n]*use -o json and jq$/);
  });
});
