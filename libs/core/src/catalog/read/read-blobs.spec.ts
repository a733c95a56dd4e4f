import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../kernel/text/any-text.fixture.js';
import { BlobError, CatalogLoadError } from '../model/catalog-load.error.js';
import { readStream } from './blob-stream.js';
import { ByteWindow } from './bytes/byte-window.js';
import { readBlobs } from './read-blobs.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const file = (path: string, ...chunks: Uint8Array[]) => ({ path, chunks: () => chunks });

/** What a stream gives, or where and why it ends. */
function outcome(chunks: Iterable<Uint8Array>, window = new ByteWindow()) {
  const values: unknown[] = [];
  try {
    for (const { value, line, format } of readStream(window.open(chunks))) values.push([value, line, format]);
    return { values };
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    return { values, error: error.olmText, line: error.line };
  }
}

/**
 * The bytes in pieces, each handed over in one buffer that is used again and again,
 * as a reader of files does.
 */
function* cut(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  const buffer = new Uint8Array(Math.max(1, ...sizes));
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    const piece = bytes.subarray(at, at + size);
    buffer.fill(0x7e);
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
    at += size;
  }
}

const PIECES = [
  '{"schema":"a","v":"}\\"{"}',
  '{"schema": "b", "deep": {"list": [1, [2, {"x": "]"}]]}}',
  '{"text":"\\\\"}',
  'schema: c\nv: |\n  ---\n  text\n',
  'schema: ü\nsnow: "☃ 🐙"\n',
  '---\n',
  '--- # words\n',
  '---x\n',
  '\n',
  ' ',
  '\r\n',
  '"text"',
  '12',
  '[{"a":1}]',
  '{"open": ',
  '# comment\n',
  '{a: b}\n',
];

describe('a stream cut into pieces', () => {
  it('gives the same values and the same error as the whole, wherever it is cut', () => {
    const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 });
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(pieces, sizes, (texts, cuts) => {
        const bytes = bytesOf(texts.join(''));
        expect(outcome(cut(bytes, cuts))).toEqual(outcome([bytes]));
      }),
      { numRuns: 200 },
    );
  });

  it('gives what JSON.parse gives, whatever the values', () => {
    const objects = fc.array(fc.dictionary(anyText(), fc.jsonValue()), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(objects, fc.nat({ max: 30 }), (values, size) => {
        const texts = values.map((value) => JSON.stringify(value));
        const got = outcome(cut(bytesOf(texts.join('\n')), [size + 1])).values;
        const wanted = texts.map((text, index) => [JSON.parse(text), index + 1, 'json']);
        expect(JSON.stringify(got)).toBe(JSON.stringify(wanted));
      }),
      { numRuns: 50 },
    );
  });
});

describe('bytes that are no UTF-8', () => {
  const broken = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

  it.each([
    { bytes: [0xff], gives: '\uFFFD', because: 'a byte that no character has' },
    { bytes: [0xe2, 0x98], gives: '\uFFFD\uFFFD', because: 'a character cut short: one mark for each byte' },
    { bytes: [0xe2, 0x98, 0x83], gives: '☃', because: 'a whole character stays' },
    { bytes: [0xed, 0xa0, 0x80], gives: '\uFFFD\uFFFD\uFFFD', because: 'half a surrogate pair is no character' },
  ])('in JSON become U+FFFD as Go does it: $because', ({ bytes, gives }) => {
    expect(outcome([broken('{"v":"a', bytes, 'b☃"}')]).values).toEqual([[{ v: `a${gives}b☃` }, 1, 'json']]);
  });

  it('in YAML are an error with the place', () => {
    const { error, line } = outcome([broken('schema: a\n---\nschema: b', [0xff], '\n')]);
    expect({ error, line }).toEqual({
      error: 'error converting YAML to JSON: yaml: the document is not valid UTF-8',
      line: 3,
    });
  });

  it('a byte order mark makes JSON a YAML document, of which there is one', () => {
    expect(outcome([bytesOf('\uFEFF{"schema":"a"}')]).values).toEqual([[{ schema: 'a' }, 1, 'yaml']]);
  });
});

describe('JSON that turns into YAML', () => {
  it('keeps the indentation of the line after the JSON value', () => {
    expect(outcome([bytesOf('{"schema":"a"} \n  schema: b\n  v: 1\n')]).values).toEqual([
      [{ schema: 'a' }, 1, 'json'],
      [{ schema: 'b', v: 1 }, 2, 'yaml'],
    ]);
  });
});

describe('bounds', () => {
  function* endless(head: string, text: string): Generator<Uint8Array> {
    yield bytesOf(head);
    for (;;) yield bytesOf(text.repeat(100));
  }
  const MIB = 1024 * 1024;

  it.each([
    { head: '{"schema":"x","v":"', text: 'a', because: 'a JSON text without end' },
    { head: '{"schema":"x","v":[', text: '1,', because: 'a JSON list without end' },
    { head: 'schema: x\nv: ', text: 'a ', because: 'a YAML document without end' },
    { head: '---', text: ' ', because: 'a separator line without end' },
    { head: '{"schema":"x"}', text: ' \n', because: 'white space without end' },
    { head: '{"schema":"x"}\n', text: 'a', because: 'a word without end' },
  ])('$because is refused', ({ head, text }) => {
    expect(outcome(endless(head, text), new ByteWindow(MIB)).error).toBe('document is larger than 1 MiB');
  });

  it.each([
    { text: `{"schema":"x","v":[${'{},'.repeat(1_000_000)}1]}`, says: 'json: document has more than 1000000 values' },
    {
      text: `{"schema":"x","v":[${`${'['.repeat(90)}${']'.repeat(90)},`.repeat(12_000)}1]}`,
      says: 'json: document has',
    },
    { text: `schema: x\nv:\n${'- - - - a\n'.repeat(250_000)}`, says: 'more than 1000000 lines or values' },
    { text: `schema: x\nv:\n${'-\n'.repeat(1_000_000)}`, says: 'more than 1000000 lines or values' },
    { text: `schema: x\nv: [${'a,'.repeat(1_000_000)}]`, says: 'more than 1000000 lines or values' },
  ])('a document of very many values is refused before it is parsed: $says', ({ text, says }) => {
    expect(outcome([bytesOf(text)]).error).toContain(says);
  });

  it('a catalog that never ends is refused at its size, and its file is closed', () => {
    let closed = false;
    function* chunks() {
      const chunk = new Uint8Array(MIB / 4).fill(0x20);
      chunk.set(bytesOf('{"schema":"x"}'));
      try {
        for (;;) yield chunk;
      } finally {
        closed = true;
      }
    }
    const read = () => [...readBlobs([{ path: 'a.json', chunks }], { bytes: 4 * MIB, blobs: 100 })].length;
    expect(read).toThrow(new CatalogLoadError('a.json', 'catalog is larger than 4 MiB'));
    expect(closed).toBe(true);
  });

  it('more blobs than allowed are refused', () => {
    const read = () => [
      ...readBlobs([file('a.json', bytesOf('{"schema":"x"}\n'.repeat(5)))], { bytes: MIB, blobs: 4 }),
    ];
    expect(read).toThrow('a.json:5: catalog has more than 4 blobs');
  });

  it('a reader that stops early closes the file', () => {
    let closed = false;
    function* chunks() {
      try {
        for (;;) yield bytesOf('{"schema":"x"}'.repeat(1000));
      } finally {
        closed = true;
      }
    }
    for (const { schema } of readBlobs([{ path: 'a.json', chunks }])) {
      expect(schema).toBe('x');
      break;
    }
    expect(closed).toBe(true);
  });

  it('an .indexignore of any size but an absurd one is read', () => {
    const ignore = file('.indexignore', bytesOf('# words\n'.repeat(200_000)));
    expect(() => [...readBlobs([ignore])]).toThrow('all .indexignore files together are larger than 1 MiB');
  });
});

describe('a blob as it came', () => {
  it('says where it is and what it says about itself, and nothing else is read', () => {
    const text = '# words\nSchema: olm.bundle\nNAME: a\npackage: p\nimage: [1]\n---\nname: b\n';
    expect([...readBlobs([file('d/c.yaml', bytesOf(text))])]).toEqual([
      {
        path: 'd/c.yaml',
        line: 1,
        format: 'yaml',
        schema: 'olm.bundle',
        package: 'p',
        name: 'a',
        value: { Schema: 'olm.bundle', NAME: 'a', package: 'p', image: [1] },
      },
      { path: 'd/c.yaml', line: 7, format: 'yaml', schema: '', package: '', name: 'b', value: { name: 'b' } },
    ]);
  });
});
