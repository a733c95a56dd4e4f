import { describe, expect, it } from 'vitest';
import { CatalogLoadError } from '../model/catalog-load.error.js';
import { validateCatalog } from '../validate/validate-catalog.js';
import { loadCatalog } from './load-catalog.js';

const file = (path: string, text: string) => ({ path, bytes: new TextEncoder().encode(text) });
const load = (text: string, path = 'catalog.yaml') => loadCatalog([file(path, text)]);
const failure = (text: string): CatalogLoadError => {
  try {
    load(text);
  } catch (error) {
    if (error instanceof CatalogLoadError) return error;
    throw error;
  }
  throw new Error('the catalog was loaded');
};

describe('YAML scalars, read as Kubernetes reads them', () => {
  it.each<[string, unknown, string]>([
    ['yes', true, 'YAML 1.1 booleans'],
    ['n', false, 'one letter is enough'],
    ['"yes"', 'yes', 'quoted text stays text'],
    ['yEs', 'yEs', 'only the usual cases count'],
    ['010', 8, 'a leading zero is octal'],
    ['0o10', 8, 'so is the new notation'],
    ['08', 8, 'no octal digit, so a decimal'],
    ['0x1F', 31, 'hexadecimal'],
    ['-0b101', -5, 'binary with sign'],
    ['1_000', 1000, 'underscores are passed over'],
    ['+12', 12, 'a plus sign'],
    ['.5', 0.5, 'no digit before the point'],
    ['5.', 5, 'none after it'],
    ['1e3', 1000, 'an exponent without sign'],
    ['12:30:45', '12:30:45', 'no sexagesimals'],
    ['2024-01-31', '2024-01-31', 'dates stay text'],
    ['1.2.3', '1.2.3', 'versions are no numbers'],
    ['12345678901234567890', 12345678901234567000, 'large numbers lose digits'],
    ['1e999', '1e999', 'what no float holds is text'],
    ['~', null, 'null'],
    ['!!str 5', '5', 'an explicit tag'],
    ['!custom x', 'x', 'unknown tags are passed over'],
    ['!!binary aGk=', 'hi', 'binary is decoded'],
    ['-0', 0, 'a whole number has no negative zero'],
    ['-0.0', -0, 'a float has'],
    ['<<', '<<', 'the key of merges is text elsewhere'],
    ['[<<]', ['<<'], 'and in a list'],
  ])('%s is %j: %s', (text, value) => {
    expect(load(`schema: x\nv: ${text}\n`).others).toEqual([{ schema: 'x', v: value }]);
  });

  it('merges, and lets the last of two equal keys win', () => {
    const [blob] = load('schema: x\nbase: &b {p: 1, q: 1}\nv: {<<: *b, q: 2}\nw: 1\nw: 2\n').others;
    expect(blob).toMatchObject({ v: { p: 1, q: 2 }, w: 2 });
  });

  it.each([
    { text: 'q: 2, <<: *b', v: { p: 1, q: 1 }, because: 'what is merged replaces what stands before it' },
    { text: '<<: [*b, {q: 3, r: 3}]', v: { p: 1, q: 1, r: 3 }, because: 'the first of several maps counts' },
    { text: '<<: {p: 4}, q: 5', v: { p: 4, q: 5 }, because: 'a map needs no name' },
    { text: '"<<": x', v: { '<<': 'x' }, because: 'a quoted key is a key' },
  ])('merges $text: $because', ({ text, v }) => {
    expect(load(`schema: x\nbase: &b {p: 1, q: 1}\nv: {${text}}\n`).others[0]).toMatchObject({ v });
  });

  it('turns keys to text', () => {
    expect(load('schema: x\nv: {1: a, true: b, yes: c}\n').others[0]).toEqual({
      schema: 'x',
      v: { 1: 'a', true: 'c' },
    });
  });
});

describe('streams', () => {
  const schemas = (text: string) => load(text).others.map(({ schema }) => schema);
  it.each([
    {
      text: '{"schema":"a"}{"schema":"b"}\n\n{"schema":"c"}',
      gives: ['a', 'b', 'c'],
      because: 'JSON needs no separator',
    },
    {
      text: ' \n{"schema":"a"}\n---\nschema: b\n---\n{"schema":"c"}',
      gives: ['a', 'b', 'c'],
      because: 'one JSON, then YAML',
    },
    { text: '# c\n{"schema":"a"}\n', gives: ['a'], because: 'a comment makes it YAML, which holds JSON' },
    {
      text: '---\n# c\nschema: a\n---   # x\nschema: b\n---\n',
      gives: ['a', 'b'],
      because: 'first and last separator',
    },
    { text: 'schema: a\n---\n---\nschema: b\n', gives: ['a', 'b'], because: 'two separators after a document' },
    { text: 'schema: a\r\n---\r\nschema: b\r\n', gives: ['a', 'b'], because: 'Windows line ends' },
    { text: 'schema: a\nv: |\n  ---\n  x\n', gives: ['a'], because: 'indented dashes separate nothing' },
    { text: '', gives: [], because: 'an empty file is an empty catalog' },
    { text: '{"schema":"a","v":"}\\"{"}\n{"schema":"b"}', gives: ['a', 'b'], because: 'braces in texts do not count' },
    { text: '\uFEFFschema: a\n', gives: ['a'], because: 'a byte order mark' },
    {
      text: '---\n{"schema":"a"}\n{"schema":"b"}\n',
      gives: ['a'],
      because: 'of JSON in a YAML document the first counts',
    },
    { text: 'schema: a\n...\n- [\n---\nschema: b\n', gives: ['a', 'b'], because: 'a document ends at its end mark' },
    { text: 'schema: a\n%YAML 1.2\n  x\n', gives: ['a'], because: 'a directive ends a document' },
    {
      text: '{"schema":1e400}',
      gives: ['1e400'],
      because: 'a number that no float holds is no JSON, and text in YAML',
    },
    { text: '  schema: a\n- b\n', gives: ['a'], because: 'so does what stands farther out' },
  ])('$because', ({ text, gives }) => {
    expect(schemas(text)).toEqual(gives);
  });

  it.each([
    { text: '# only words\n', line: 1, says: "object '' is missing root schema field" },
    { text: 'schema: a\n---\n# none\n---\nschema: b\n', line: 3, says: "object '' is missing root schema field" },
    { text: 'schema: a\n---x\n', line: 2, says: 'invalid Yaml document separator: x' },
    { text: 'schema: a\n---\nschema: b\n  c: d\n', line: 4, says: 'error converting YAML to JSON: yaml: line 4: ' },
    { text: '{"schema":"a"}\n{"schema":"b"}\n---\nschema: c\n', line: 3, says: 'json: offset 30' },
    { text: '{"schema":"a"\n', line: 1, says: 'json: offset 14: unexpected EOF' },
    {
      text: '- schema: a\n',
      line: 1,
      says: 'error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array',
    },
    {
      text: 'schema: a\n---\nschema: olm.package\nname: [x]\n',
      line: 3,
      says: 'error unmarshaling JSON: while decoding JSON: expected value for key "name" to be a string, got [%!t(string=x)]: [x]',
    },
    {
      text: '{"schema":"olm.package","name":"p","defaultChannel":[1]}',
      line: 1,
      says: 'parse package: json: cannot unmarshal array into Go struct field Package.defaultChannel of type string',
    },
    { text: 'schema: a\n- b\n', line: 2, says: 'error converting YAML to JSON: yaml: line 2: ' },
    {
      text: 'schema: a\nv: {<<: 5}\n',
      line: 2,
      says: 'error converting YAML to JSON: yaml: line 2: map merge requires map',
    },
    { text: 'schema: a\nv: "\u007f"\n', line: 1, says: 'error converting YAML to JSON: yaml: control characters' },
    { text: 'schema: a\nv: !!int 5.0\n', line: 2, says: 'error converting YAML to JSON: ' },
    { text: '{"schema":"a"} null', line: 1, says: "object 'null\n' is missing root schema field" },
    {
      text: '{"schema":{"b":null,"a":[1e6,true]}}',
      line: 1,
      says: 'expected value for key "schema" to be a string, got map[%!t(string=a):[%!t(float64=1e+06) true] %!t(string=b):<nil>]: map[a:[1e+06 true] b:<nil>]',
    },
    { text: 'schema: a\nv: .nan\n', line: 2, says: 'error converting YAML to JSON: ' },
  ])('line $line: $says', ({ text, line, says }) => {
    const error = failure(text);
    expect(error.line).toBe(line);
    expect(error.path).toBe('catalog.yaml');
    expect(error.olmText.startsWith(says)).toBe(true);
    expect(error.message.startsWith(`catalog.yaml:${line}: ${says}`)).toBe(true);
  });
});

describe('fields', () => {
  it('are known in any case, and what is unknown is dropped', () => {
    const { packages, bundles } = load(
      'Schema: olm.package\nNAME: ant\ndefaultchannel: stable\nextra: 1\n---\nschema: olm.bundle\nname: ant.v1\npackage: ant\nImage: x\nproperties: [{Type: a, Value: 1}, {type: b}]\n',
    );
    expect(packages).toEqual([{ schema: 'olm.package', name: 'ant', defaultChannel: 'stable' }]);
    expect(bundles[0]?.image).toBe('x');
    expect(bundles[0]?.properties).toEqual([
      { type: 'a', value: 1 },
      { type: 'b', value: undefined },
    ]);
  });

  it('named like parts of a JavaScript object are only names', () => {
    const [blob] = load('schema: x\n__proto__: {polluted: 1}\nconstructor: 2\ntoString: 3\n').others;
    expect(Object.keys(blob ?? {})).toEqual(['schema', '__proto__', 'constructor', 'toString']);
    expect(Object.prototype).not.toHaveProperty('polluted');
    const catalog = load(
      '{"schema":"olm.bundle","name":"b","package":"p","properties":[{"type":"__proto__","value":1}]}',
    );
    expect(catalog.bundles[0]?.properties).toEqual([{ type: '__proto__', value: 1 }]);
  });

  it('carry manifests, decoded', () => {
    const data = btoa('{"kind":"ClusterServiceVersion","metadata":{"name":"a"}}');
    const yaml = btoa('kind: Service\n');
    const { bundles } = load(
      `schema: olm.bundle\nname: a\npackage: p\nimage: ""\nproperties:\n- {type: olm.bundle.object, value: {data: ${data}}}\n- {type: olm.bundle.object, value: {data: ${yaml}}}\n`,
    );
    expect(bundles[0]?.objects.map(({ kind }) => kind)).toEqual(['ClusterServiceVersion', 'Service']);
  });

  it('wrapped in one more level give advice that shows the right form', () => {
    const catalog = load(
      'schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.bundle\nname: a\npackage: p\nimage: x\nproperties:\n- property: {type: olm.package, value: {packageName: p, version: 1.0.0}}\n',
    );
    expect(validateCatalog(catalog)[0]?.advice).toContain(
      'each item of "properties" is {type: <type>, value: <value>}',
    );
  });
});

describe('hostile input ends in an error, soon', () => {
  const bomb = ['a: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 12; i += 1)
    bomb.push(
      `a${i}: &a${i} [${Array(9)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  const chain = ['a: &a0 [x]'];
  for (let i = 1; i < 1000; i += 1) chain.push(`a${i}: &a${i} [*a${i - 1}]`);

  it.each([
    { text: `schema: x\n${bomb.join('\n')}\n`, says: 'excessive aliasing', because: 'aliases that multiply' },
    { text: `schema: x\nv: &v {w: *v}\n`, says: 'value contains itself', because: 'a value inside itself' },
    { text: `schema: x\n${chain.join('\n')}\n`, says: 'nesting exceeds', because: 'depth by aliases' },
    { text: `schema: x\nv: ${'['.repeat(100_000)}`, says: 'nesting exceeds 200 levels', because: 'depth in YAML' },
    { text: `{"schema":"x","v":${'['.repeat(100_000)}`, says: 'nesting exceeds', because: 'depth in JSON' },
    { text: `{"schema":"x","v":"${'\\'.repeat(100_000)}`, says: 'unexpected EOF', because: 'a text that never ends' },
    { text: `? [${'a,'.repeat(1000)}]\n: b\n`, says: 'unsupported map key', because: 'a key that is no scalar' },
  ])('$because', ({ text, says }) => {
    expect(failure(text).olmText).toContain(says);
  });

  it('reads a hundred thousand blobs without growing slow', () => {
    expect(load('{"schema":"x"}\n'.repeat(100_000)).others).toHaveLength(100_000);
    expect(load('schema: x\n---\n'.repeat(10_000)).others).toHaveLength(10_000);
  });
});

describe('several files', () => {
  it('with too many patterns to try are refused', () => {
    const patterns = file('.indexignore', 'a\n'.repeat(1001));
    expect(() => loadCatalog([patterns])).toThrow('.indexignore: more than 1000 patterns');
  });

  it('are read in the order of their paths, whatever their names', () => {
    const catalog = loadCatalog([
      file('b', 'schema: second'),
      file('.a', 'schema: first'),
      file('c/d.txt', 'schema: third'),
    ]);
    expect(catalog.others.map(({ schema }) => schema)).toEqual(['first', 'second', 'third']);
  });

  it('are left out by .indexignore', () => {
    const catalog = loadCatalog([
      file('.indexignore', '*.md\n'),
      file('README.md', 'words: ['),
      file('a', 'schema: a'),
    ]);
    expect(catalog.others).toEqual([{ schema: 'a' }]);
  });

  it.each([
    { pattern: '/a/**/', left: ['a', 'f'], because: 'a pattern for directories leaves the file of its own name' },
    { pattern: '/d/**/', left: ['a'], because: 'and takes what is below it' },
    { pattern: '**//f', left: ['a', 'f'], because: 'stars count for the component right behind them only' },
  ])('$pattern: $because', ({ pattern, left }) => {
    const files = [file('.indexignore', pattern), file('a', 'schema: a'), file('d/f', 'schema: f')];
    const kept = loadCatalog(files).others.map(({ schema }) => schema);
    expect(kept).toEqual(left);
  });
});
