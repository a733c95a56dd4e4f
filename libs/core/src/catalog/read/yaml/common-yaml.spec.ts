import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { needing, PUBLIC_DATA, publicData } from '#testing/report/needs';
import { goYaml } from '../../write/go-yaml-text.js';
import { NOT_COMMON, readCommonYaml } from './common-yaml.js';
import { loadFirstDocument } from './first-document.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);

/** As JSON, which shows the order of keys too; `-0` and 0 are told apart. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (Object.is(inner, -0) ? '-0' : inner));

/** What the reader of all YAML reads. Returns undefined if it refuses. */
function read(text: string): string | undefined {
  try {
    return shown(loadFirstDocument(text));
  } catch {
    return undefined;
  }
}

/** The value of common YAML is that of the reader of all YAML. True if the text is common. */
function agrees(text: string): boolean {
  const value = readCommonYaml(text);
  if (value !== NOT_COMMON) expect(shown(value), text).toBe(read(text));
  return value !== NOT_COMMON;
}

const text = (...lines: string[]) => `${lines.join('\n')}\n`;

describe('a text of the common form has the value that the reader of all YAML gives', () => {
  it.each([
    { because: 'scalars', yaml: text('a: b', 'n: 1', 'v: 1.2.3', 'o: 010', 'y: no', 'e:', 't: ~', 'u: a:b#c') },
    { because: 'a mark before the document', yaml: text('---', '', '# a', 'a: b') },
    { because: 'keys that are no text', yaml: text('1: a', '0x10: b', 'y: c', '"q: r": d', "'it''s': e", '-x: f') },
    { because: 'a key that comes twice', yaml: text('a: 1', 'b: 2', 'a: 3') },
    { because: 'lists at the column of their key', yaml: text('a:', '- b', '- c: d', '  e:', '  - f', 'g: h') },
    { because: 'lists deeper than their key', yaml: text('a:', '  - b', '  -   c: d', '      e: f', 'g: h') },
    { because: 'lists in lists', yaml: text('a:', '- - b', '  - c', '- - - d', 'e: f') },
    { because: 'empty collections', yaml: text('a: {}', 'b: []  ', 'c:', '- []', '- {}') },
    { because: 'comments and empty lines', yaml: text('# a', '', 'a: b', '   # c', '', '# d', 'c:', '# e', '  d: e') },
    { because: 'plain text of several lines', yaml: text('a: b', '  c  ', '', '', '  - d', ' # e', 'f: g') },
    { because: 'plain text that ends with the document', yaml: 'a: b\n  c\n   ' },
    { because: 'single quotes', yaml: text("a: 'it''s'", "b: 'c", '', "  d''", "  '", "e: ''") },
    {
      because: 'double quotes',
      yaml: text('a: "b\\tc\\u00e9\\x41\\U0001F419\\"\\\\\\\'"', 'c: ""'),
    },
    {
      because: 'double quotes of several lines',
      yaml: text('a: "b \\', '  \\  c', '', '  d \\ ', '  e\\n', '', '', '  f  ', '  "', 'g: h'),
    },
    { because: 'literals', yaml: text('a: |', '   b', '', '     c', '    ', 'd: |-', ' e', '', 'f: |+', ' g', '', '') },
    { because: 'literals in lists', yaml: text('a:', '- |', '  b', '   c', '- |-', ' ', '', '  d', 'e: f') },
    { because: 'a literal that ends with the document', yaml: 'a: |+\n  b\n\n ' },
    { because: 'a literal with tabs and marks', yaml: text('a: |', ' b\tc', ' \td', ' --- "e', ' # f') },
  ])('$because', ({ yaml }) => {
    expect(agrees(yaml)).toBe(true);
  });
});

describe('every other text is left to the reader of all YAML', () => {
  it.each([
    ...[
      '',
      '\n',
      '# a\n',
      'a\n',
      '- a\n',
      '{}\n',
      ' a: b\n',
      '--- a\n',
      '--- \na: b\n',
      '---\n---\na: b\n',
      '---\n...\n',
      '---\n',
      'a: b\n---\nc: d\n',
      'a: b\n...\n',
    ],
    ...['a: &b c\n', 'a: *b\n', 'a: !!str 1\n', '<<: {}\n', 'a: <<\n', '__proto__: a\n', '~: a\n', '? a\n', ': a\n'],
    ...['a: [b]\n', 'a: {b: c}\n', 'a: >\n  b\n', 'a: |2\n  b\n', 'a: | # b\n  c\n', 'a: b # c\n', 'a: # b\n  c: d\n'],
    ...['a: b: c\n', 'a: b\n  c: d\n', 'a:\n    b: c\n  d: e\n', 'a:\n- b\n c: d\n', 'a: "b" c\n', 'a: "b\n'],
    ...[
      'a:\tb\n',
      'a: b\t\n',
      '\ta: b\n',
      'a: b\r\n',
      '\uFEFFa: b\n',
      'a: \x7f\n',
      'a: \ud800\n',
      'a: |\n  \u2028---\n',
      'a: \u2029\n',
      'a: .inf\n',
      'a: "\\q"\n',
      'a: "\\/"\n',
      'a: "\\ud83d\\udc19"\n',
    ],
    ...['a: "b\nc"\n', 'a: "\\U00110000"\n', 'a: |\n', 'a: |\nb: c\n', 'a: |\n   \n  b\n', 'a:\n-\n  b\n', 'a:\n  b\n'],
    `${Array.from({ length: 70 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')}`,
  ])('%j', (yaml) => {
    expect(readCommonYaml(yaml)).toBe(NOT_COMMON);
  });
});

const words = fc.constantFrom(
  ...['a', 'b c', 'x: y', '- z', '# h', 'n', '1', '0x1f', '1_0.5', '-', '', ' ', "it's", '"q"', '\\', '\t', '\n', '~'],
  ...[
    'null',
    '<<',
    '{',
    '[]',
    '&a',
    '*a',
    '!t',
    '|',
    '>',
    '%',
    '@',
    'é',
    '🐙',
    '\u2028',
    '\x85',
    '---',
    '...',
    ':',
    '?',
  ],
);
const texts = fc.array(words, { maxLength: 5 }).map((parts) => parts.join(''));
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    texts,
    fc.constantFrom(null, true, 0, -1.5, 'x'.repeat(90), 'y '.repeat(60), 'z\n'.repeat(9)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(texts, tie('value'), { maxKeys: 4 }),
  ),
})).value;
const written = fc.dictionary(texts, values, { minKeys: 1, maxKeys: 5 }).map(goYaml);
/** A piece of text in the place of some characters. */
const damage = fc.tuple(
  fc.nat(),
  fc.nat({ max: 3 }),
  fc.oneof(words, fc.constantFrom('\n  ', '\n', '  ', '"', "'", ': ')),
);
const damaged = fc.tuple(written, fc.array(damage, { minLength: 1, maxLength: 4 })).map(([whole, places]) =>
  places.reduce((left, [at, length, piece]) => {
    const from = at % (left.length + 1);
    return left.slice(0, from) + piece + left.slice(from + length);
  }, whole),
);
const lines = fc
  .array(
    fc.tuple(
      fc.nat({ max: 4 }),
      fc.constantFrom('', '- ', '- - ', 'k: ', 'k:', '- k: ', '"k": ', '#'),
      fc.oneof(texts, fc.constantFrom('"a', 'b"', "'c", "d'", '"e \\', '|', '|-', '|+', '\\  f"')),
    ),
    { maxLength: 7 },
  )
  .map(
    (all) =>
      `${all.length % 2 === 0 ? '' : '---\n'}k: v\n${all.map(([margin, mark, rest]) => `${' '.repeat(margin)}${mark}${rest}\n`).join('')}`,
  );

describe('whatever is read has the value of the reader of all YAML', () => {
  it.each([
    { what: 'values as opm writes them', arbitrary: written, least: 100 },
    { what: 'the same with a few characters changed', arbitrary: damaged, least: 100 },
    { what: 'lines at random', arbitrary: lines, least: 20 },
  ])('$what', ({ arbitrary, least }) => {
    let common = 0;
    fc.assert(
      fc.property(arbitrary, (yaml) => {
        if (agrees(yaml)) common += 1;
      }),
      { seed, numRuns: Number(process.env['FLOTILLA_TEST_RUNS'] ?? 1_000) },
    );
    expect(common).toBeGreaterThan(least);
  });
});

const REAL = 'data/catalogs/v4.20';
describe('the public catalog v4.20', needing(publicData(REAL)), () => {
  it.each(['hive-operator', 'infinispan', 'kairos-operator', 'project-quay', 'trident-operator'])(
    'of %s all documents are common',
    (name) => {
      const documents = readFileSync(join(PUBLIC_DATA, REAL, name, 'catalog.yaml'), 'utf8').split(/^---\n/m);
      expect(documents.filter((yaml) => yaml !== '' && !agrees(yaml)).map((yaml) => yaml.slice(0, 200))).toEqual([]);
    },
  );
});
