import { describe, expect, it } from 'vitest';
import { readGoYaml } from './read-go-yaml.js';
import { YamlError } from './yaml.error.js';

const text = (...lines: string[]) => `${lines.join('\n')}\n`;
const read = (yaml: string) => readGoYaml(yaml, { maxDepth: 200 });
const readOnce = (yaml: string) => readGoYaml(yaml, { maxDepth: 200, uniqueKeys: true });

function refusal(yaml: string, reader = read): Readonly<{ reason: string; line?: number | undefined }> {
  try {
    return { reason: `was read: ${JSON.stringify(reader(yaml))}` };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { reason: error.reason, line: error.line };
  }
}

// What Go answers to each; test/vectors/yaml has a thousand more.
describe('readGoYaml takes what go-yaml takes', () => {
  it.each([
    { because: 'a quoted text that goes on at the column of its key', yaml: text("a: 'x", "y'"), value: { a: 'x y' } },
    { because: 'and at a smaller column', yaml: text('a:', '  b: "x', 'y"'), value: { a: { b: 'x y' } } },
    { because: 'a bracket that closes at the column of its key', yaml: text('a: [', '1', ']'), value: { a: [1] } },
    { because: 'a brace that does', yaml: text('a: {', 'b: 1', '}'), value: { a: { b: 1 } } },
    { because: 'a dash in a list of brackets', yaml: text('a: [', '-]'), value: { a: ['-'] } },
    { because: 'a comment right behind the header of a block', yaml: text('a: |# c', '  x'), value: { a: 'x\n' } },
    { because: 'a comment right behind quotes', yaml: text('a: "x"#c'), value: { a: 'x' } },
    { because: 'an escaped apostrophe', yaml: text('a: "\\\'"'), value: { a: "'" } },
    { because: 'an escaped line end before an empty line', yaml: text('a: "x\\', '', '  y"'), value: { a: 'x\ny' } },
    { because: 'a list as the value that follows its own key', yaml: text('[]: a'), value: [] },
    { because: 'text behind a document that has ended', yaml: text('[a] }'), value: ['a'] },
    { because: 'a byte order mark', yaml: text('\ufeffa: 1'), value: { a: 1 } },
    { because: 'no document', yaml: text('# a'), value: null },
    { because: 'the end of a document that is empty', yaml: text('---', '...', 'a: 1'), value: null },
    { because: 'directives', yaml: text('%TAG !e! tag:yaml.org,2002:', '---', 'a: !e!str 1'), value: { a: '1' } },
    {
      because: 'underscores in a float that begins with a dot',
      yaml: text('a: [.5_0, ._5]'),
      value: { a: [0.5, '._5'] },
    },
    { because: 'a sign behind the prefix of binary', yaml: text('a: [0b-11, 0o-7]'), value: { a: [-3, '0o-7'] } },
    {
      because: 'a float key, in 32 bits',
      yaml: text('0.1: a', '1e6: b', '.inf: c'),
      value: { '0.1': 'a', '1e+06': 'b', '.inf': 'c' },
    },
    { because: 'a wide integer key', yaml: text('9223372036854775807: a'), value: { '9223372036854775807': 'a' } },
    { because: 'what JSON has not, if it is given again', yaml: text('a: .inf', 'a: {~: 1}', 'a: 1'), value: { a: 1 } },
  ])('$because', ({ yaml, value }) => {
    expect(read(yaml)).toEqual(value);
  });
});

describe('merges', () => {
  const anchors = 'm: &m {x: 1}\nk: &k {x: 2, z: 3}\nv:\n';
  it.each([
    { because: 'by tag, as yq writes it', yaml: '  !!merge <<: *m\n  y: 2\n', value: { x: 1, true: 2 } },
    { because: 'by tag, in quotes', yaml: '  !!merge "<<": *m\n', value: { x: 1 } },
    { because: 'by the tag !', yaml: '  ! "<<": *m\n', value: { x: 1 } },
    { because: 'of several, the first one counts', yaml: '  <<: [*m, *k]\n', value: { x: 1, z: 3 } },
    { because: 'that replace members before them', yaml: '  x: 0\n  <<: *m\n', value: { x: 1 } },
    { because: 'whose members are replaced by those after them', yaml: '  <<: *m\n  x: 0\n', value: { x: 0 } },
    { because: 'but not a quoted key', yaml: '  "<<": *m\n', value: { '<<': { x: 1 } } },
    { because: 'nor one with another tag', yaml: '  !!str <<: *m\n', value: { '<<': { x: 1 } } },
    { because: 'nor a value', yaml: '  - <<\n', value: ['<<'] },
  ])('$because', ({ yaml, value }) => {
    expect(read(anchors + yaml)).toMatchObject({ v: value });
    expect(Object.keys((read(anchors + yaml) as { v: object }).v)).toHaveLength(Object.keys(value).length);
  });
});

describe('readGoYaml refuses what go-yaml refuses, and names the line', () => {
  it.each([
    { yaml: text('a: "\\/"'), reason: 'found unknown escape character', line: 0 },
    { yaml: text('a: "\\ud83d\\ude00"'), reason: 'found invalid Unicode character escape code', line: 0 },
    { yaml: text('a: x\u2028y'), reason: "could not find expected ':'", line: 2 },
    { yaml: text('a: x\u0085y'), reason: "could not find expected ':'", line: 2 },
    { yaml: text('a:', '\tb: 1'), reason: 'found character that cannot start any token', line: 1 },
    { yaml: text('a: b: c'), reason: 'mapping values are not allowed in this context', line: 0 },
    { yaml: text('a: 1', ' b: 2'), reason: 'mapping values are not allowed in this context', line: 1 },
    { yaml: text('a: [1', 'b: 2'), reason: "did not find expected ',' or ']'", line: 1 },
    { yaml: text('a: {1', ''), reason: "did not find expected ',' or '}'", line: 0 },
    { yaml: text('a: 1', '- b'), reason: 'did not find expected key', line: 1 },
    { yaml: text('a: *b'), reason: "unknown anchor 'b' referenced", line: 0 },
    { yaml: text('a: &b [*b]'), reason: "anchor 'b' value contains itself", line: 0 },
    { yaml: text('a: 1', '~: 1'), reason: 'unsupported map key null', line: 1 },
    {
      yaml: text('a: 1', '18446744073709551615: 1'),
      reason: 'unsupported map key 18446744073709551615 of type uint64',
      line: 1,
    },
    { yaml: text('a: !!int x'), reason: 'cannot decode !!str `x` as a !!int', line: 0 },
    { yaml: text('a: 1', 'b: -.inf'), reason: 'json: unsupported value: -.inf', line: 1 },
    { yaml: `${'k'.repeat(1025)}: 1\n`, reason: 'mapping values are not allowed in this context', line: 0 },
    { yaml: 'a: \u0007', reason: 'control characters are not allowed', line: undefined },
    { yaml: 'a: \ud800', reason: 'control characters are not allowed', line: undefined },
  ])('$yaml', ({ yaml, reason, line }) => {
    expect(refusal(yaml)).toEqual({ reason, line });
  });

  it('refuses a key that is given twice if it must be given once', () => {
    expect(read(text('a: 1', 'a: 2'))).toEqual({ a: 2 });
    expect(refusal(text('a: 1', 'a: 2'), readOnce)).toEqual({ reason: 'key "a" already set in map', line: 1 });
    expect(readOnce(text('1: a', '"1": b'))).toEqual({ 1: 'b' });
  });
});

describe('what Go does otherwise', () => {
  it('keeps the last of two keys that differ in type alone', () => {
    expect(read(text('1: a', '1.0: b', '"1": c'))).toEqual({ 1: 'c' });
  });

  it('refuses a text with two byte order marks', () => {
    expect(refusal(text('\ufeff\ufeffa: 1'))).toEqual({ reason: 'found a second byte order mark', line: 0 });
  });

  it.each([
    { because: 'in brackets', yaml: `${'['.repeat(201)}${']'.repeat(201)}` },
    { because: 'in blocks', yaml: `${'- '.repeat(201)}a` },
    {
      because: 'by aliases',
      yaml: text('- &a0 []', ...Array.from({ length: 201 }, (_, depth) => `- &a${depth + 1} [*a${depth}]`)),
    },
  ])('refuses nesting beyond 200 levels $because', ({ yaml }) => {
    expect(refusal(yaml).reason).toBe('nesting exceeds 200 levels');
  });

  it('refuses aliases that multiply', () => {
    const bomb = Array.from({ length: 12 }, (_, depth) => `- &a${depth + 1} [${`*a${depth},`.repeat(9)}]`);
    expect(refusal(text('- &a0 x', ...bomb)).reason).toBe('document contains excessive aliasing');
  });
});
