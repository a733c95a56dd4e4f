import { gzipSync, zstdCompressSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import { settles } from '#testing/settles';
import type { Refuse } from '../../client/image-manifest.js';
import { RegistryError } from '../../client/registry-client.port.js';
import { defaultRegistryLimits, type RegistryLimits } from '../../client/registry-limits.js';
import { memorySink } from './file-sink.js';
import { Allowance, readLayer } from './layer-reader.js';

const refuse: Refuse = (failure, message) => new RegistryError(failure, 'r.test/a:v1', message);
const refusal = (failure: string, says: string) =>
  expect.objectContaining({ failure, message: expect.stringContaining(says) });

const file = (name: string, text = ''): TarEntry => ({
  header: { name, type: 'file', size: Buffer.byteLength(text) },
  body: text,
});
const entry = (name: string, type: TarEntry['header']['type'] & string, linkname?: string): TarEntry => ({
  header: { name, type, size: 0, ...(linkname === undefined ? {} : { linkname }) },
});

type Case = Readonly<{
  wanted?: (path: string) => boolean;
  limits?: Partial<RegistryLimits>;
  signal?: AbortSignal;
  chunkSize?: number;
}>;

function read(layer: Uint8Array, options: Case = {}) {
  const { wanted = () => true, limits = {}, signal, chunkSize = 300 } = options;
  const allowance = new Allowance({ ...defaultRegistryLimits, ...limits }, refuse, signal);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < layer.length; at += chunkSize) chunks.push(layer.subarray(at, at + chunkSize));
  const reading = { wanted, sink: memorySink, allowance };
  return settles(readLayer(ReadableStream.from(chunks), 'layer sha256:1', reading), 'readLayer');
}
const entriesOf = async (entries: TarEntry[], options?: Case) => read(await packTar(entries), options);
const textOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();

const inTwo = (tar: Uint8Array, pack: (part: Uint8Array) => Uint8Array) =>
  Buffer.concat([pack(tar.subarray(0, 700)), pack(tar.subarray(700))]);
const SKIPPED = Buffer.from('502a4d1803000000616263', 'hex');

describe('readLayer', () => {
  it('gives the entries in the order of the archive, with the bytes of wanted files', async () => {
    const found = await entriesOf(
      [
        entry('d/', 'directory'),
        file('d/a', 'one'),
        file('b', 'two'),
        entry('l', 'symlink', 'd/a'),
        entry('h', 'link', 'b'),
      ],
      { wanted: (path) => path === 'd/a' },
    );
    expect(found).toEqual([
      { kind: 'directory', path: 'd' },
      { kind: 'file', path: 'd/a', size: 3, content: new Uint8Array(Buffer.from('one')) },
      { kind: 'file', path: 'b', size: 3 },
      { kind: 'symlink', path: 'l', target: 'd/a' },
      { kind: 'hardlink', path: 'h', target: 'b' },
    ]);
  });

  it.each([512 + 512 + 512 + 1, 2 * 512 + 700, 16 * 1024])(
    'passes over a file before a wanted one whose bytes begin in the same chunk: chunks of %i bytes',
    async (chunkSize) => {
      const layer = await packTar([file('LICENSE', 'unwanted'), file('wanted', 'text'.repeat(8000))]);
      const found = await read(layer, { wanted: (path) => path === 'wanted', chunkSize });
      expect(found.map((one) => ('content' in one ? textOf(one.content) : undefined))).toEqual([
        undefined,
        'text'.repeat(8000),
      ]);
    },
  );

  it.each([
    { compression: 'nothing', pack: (tar: Uint8Array) => tar },
    { compression: 'gzip', pack: (tar: Uint8Array) => gzipSync(tar) },
    { compression: 'gzip in two members', pack: (tar: Uint8Array) => inTwo(tar, gzipSync) },
    { compression: 'zstd', pack: (tar: Uint8Array) => zstdCompressSync(tar) },
    { compression: 'zstd in two frames', pack: (tar: Uint8Array) => inTwo(tar, zstdCompressSync) },
    {
      compression: 'zstd behind a frame to skip',
      pack: (tar: Uint8Array) => Buffer.concat([SKIPPED, zstdCompressSync(tar)]),
    },
  ])('unpacks what is packed with $compression', async ({ pack }) => {
    const tar = await packTar([file('a', 'text'.repeat(300)), file('b', 'end')]);
    for (const chunkSize of [1, 300, 100_000]) {
      const found = await read(pack(tar), { chunkSize });
      expect(found.map((one) => ('content' in one ? textOf(one.content) : undefined))).toEqual([
        'text'.repeat(300),
        'end',
      ]);
    }
  });

  it.each([
    { name: 'd/.wh.a', kind: 'whiteout', path: 'd/a', because: 'a whiteout names what it hides' },
    { name: '.wh.a', kind: 'whiteout', path: 'a', because: 'at the root, too' },
    { name: 'd/.wh..hidden', kind: 'whiteout', path: 'd/.hidden', because: 'of a name that begins with a dot' },
    { name: 'd/.wh..wh..opq', kind: 'opaque', path: 'd', because: 'the mark of an opaque directory' },
    { name: '.wh..wh..opq', kind: 'opaque', path: '', because: 'the mark of an opaque root' },
  ])('$because: $name', async ({ name, kind, path }) => {
    expect(await entriesOf([file(name)])).toEqual([{ kind, path }]);
  });

  it.each([
    { because: 'other marks of aufs', given: file('d/.wh..wh.plnk', 'x') },
    { because: 'a pipe', given: entry('p', 'fifo') },
    { because: 'a device', given: entry('p', 'character-device') },
  ])('leaves out $because', async ({ given }) => {
    expect(await entriesOf([given])).toEqual([]);
  });

  it.each([
    { because: 'a name that climbs', given: file('../x'), says: 'climbs out' },
    { because: 'a whiteout of nothing', given: file('d/.wh.'), says: '"d/.wh." is a whiteout that names no file' },
    { because: 'a whiteout of the directory itself', given: file('d/.wh..'), says: 'names no file' },
    { because: 'a whiteout of the directory above', given: file('d/.wh...'), says: 'names no file' },
    {
      because: 'a wanted link out of the image',
      given: entry('l', 'symlink', '../x'),
      says: 'points out of the image',
    },
    { because: 'a hard link that climbs', given: entry('h', 'link', 'a/../../x'), says: 'hard link "h" points out' },
  ])('refuses $because', async ({ given, says }) => {
    await expect(entriesOf([given])).rejects.toThrow(refusal('UnsafePath', says));
  });

  it('leaves a link out of the image alone that is not wanted', async () => {
    const found = await entriesOf([entry('l', 'symlink', '../../x')], { wanted: () => false });
    expect(found).toEqual([{ kind: 'symlink', path: 'l', target: '../../x' }]);
  });

  it.each([
    { because: 'no archive', layer: Buffer.from('nothing of the kind') },
    { because: 'no archive of whole blocks', layer: Buffer.alloc(1024, 'x') },
    { because: 'gzip that is cut short', layer: gzipSync(Buffer.alloc(4096, 'x')).subarray(0, -9) },
    { because: 'zstd that is cut short', layer: zstdCompressSync(Buffer.alloc(4096, 'x')).subarray(0, -1) },
    { because: 'gzip with other bytes', layer: Buffer.from('1f8b08ffffffffffffffffffffffffff', 'hex') },
  ])('says what to do about $because', async ({ layer }) => {
    await expect(read(layer)).rejects.toThrow(
      expect.objectContaining({
        failure: 'Malformed',
        message: expect.stringMatching(/^layer sha256:1 cannot be unpacked \(.+\): push the image again$/s),
      }),
    );
  });

  it.each([
    { packing: 'bzip2', layer: Buffer.from('BZh91AY') },
    { packing: 'xz', layer: Buffer.from('fd377a585a0000', 'hex') },
  ])('says that $packing is no packing of layers', async ({ packing, layer }) => {
    await expect(read(layer)).rejects.toThrow(refusal('Malformed', `it is packed with ${packing}, not with gzip`));
  });

  it.each([
    { because: 'without closing blocks', text: 'x'.repeat(512), bytes: 1024 },
    { because: 'without the filling of its last block, as umoci writes it', text: 'abc', bytes: 512 + 3 },
  ])('reads an archive $because', async ({ text, bytes }) => {
    const whole = await packTar([file('a', text)]);
    const [found] = await read(whole.subarray(0, bytes));
    expect(found).toMatchObject({ kind: 'file', path: 'a', size: text.length });
    expect(found?.kind === 'file' && textOf(found.content)).toBe(text);
  });

  it.each([
    { because: 'in its last block', text: 'x'.repeat(600), bytes: 512 + 599 },
    { because: 'in its only block', text: 'abc', bytes: 512 + 2 },
    { because: 'before its last block', text: 'x'.repeat(600), bytes: 512 + 512 },
    { because: 'in a header', text: '', bytes: 300 },
  ])('refuses an archive whose last file is cut short: $because', async ({ text, bytes }) => {
    const whole = await packTar([file('a', text)]);
    await expect(read(whole.subarray(0, bytes))).rejects.toThrow(refusal('Malformed', 'cannot be unpacked'));
  });

  it('gives the reason of the caller who does not want the image any more', async () => {
    const end = new AbortController();
    end.abort(new Error('not needed'));
    await expect(entriesOf([file('a', 'x')], { signal: end.signal })).rejects.toThrow('not needed');
  });
});

/** A link whose target is longer than a header of tar holds. */
const longLink = (type: 'link' | 'symlink', target: string): TarEntry => ({
  header: { name: 'l', type, size: 0, linkname: 'x', pax: { linkpath: target } },
});

describe('what is kept of names and links', () => {
  const layers = [
    {
      id: 'R2',
      because: 'an overlong hard link',
      given: longLink('link', 'a/'.repeat(500_000)),
      failure: 'UnsafePath',
    },
    { id: 'R2', because: 'a deep hard link', given: longLink('link', 'a/'.repeat(256)), failure: 'TooLarge' },
    { id: 'R3', because: 'an overlong link', given: longLink('symlink', 'a'.repeat(4097)), failure: 'UnsafePath' },
    { id: 'R3', because: 'a deep link', given: longLink('symlink', 'a/'.repeat(256)), failure: 'TooLarge' },
  ];
  it.each(layers)('refuses $because, wanted or not ($id)', async ({ given, failure }) => {
    for (const wanted of [true, false]) {
      const refused = entriesOf([file('x'), given], { wanted: () => wanted });
      await expect(refused).rejects.toThrow(refusal(failure, 'link "l"'));
      await expect(refused).rejects.toThrow(expect.objectContaining({ message: expect.not.stringContaining('aaa') }));
    }
  });

  it('takes links as long and as deep as a file system does', async () => {
    const found = await entriesOf(
      [
        longLink('symlink', 'a'.repeat(4096)),
        longLink('symlink', `${'../'.repeat(1_000)}a`),
        longLink('link', 'a/'.repeat(255)),
      ],
      { wanted: () => false },
    );
    expect(found).toHaveLength(3);
  });

  it.each([
    { because: 'names', entries: [file('d/abc'), file('d/abd')], most: 10 },
    { because: 'names as they are written', entries: [file('d/////a')], most: 7 },
    { because: 'targets of links', entries: [entry('l', 'symlink', 'x/y'), entry('h', 'link', 'd/a')], most: 8 },
  ])('counts the characters of $because (R1)', async ({ entries, most }) => {
    expect(await entriesOf(entries, { limits: { nameCharacters: most }, wanted: () => false })).toHaveLength(
      entries.length,
    );
    const refused = entriesOf(entries, { limits: { nameCharacters: most - 1 }, wanted: () => false });
    await expect(refused).rejects.toThrow(
      refusal('TooLarge', `more than ${most - 1} characters in the names of its files`),
    );
  });
});

describe('the limits of an image', () => {
  it.each([
    { because: 'a large file', limits: { fileBytes: 4 }, says: 'file "b" has 5 bytes; the limit is 4' },
    { because: 'large files', limits: { wantedBytes: 6 }, says: 'more than 6 bytes in the files to read' },
    { because: 'many files', limits: { entries: 1 }, says: 'more than 1 files' },
    { because: 'long names', limits: { nameCharacters: 1 }, says: 'more than 1 characters in the names of its files' },
    { because: 'much to unpack', limits: { unpackedBytes: 1000 }, says: 'more than 1000 bytes when unpacked' },
  ])('refuse $because', async ({ limits, says }) => {
    const files = [file('a', '12'), file('b', '12345')];
    await expect(entriesOf(files, { limits })).rejects.toThrow(refusal('TooLarge', says));
  });

  it('allow what they name', async () => {
    const limits = { fileBytes: 5, wantedBytes: 7, entries: 2, nameCharacters: 2 };
    expect(await entriesOf([file('a', '12'), file('b', '12345')], { limits })).toHaveLength(2);
  });

  it('count the bytes of wanted files alone', async () => {
    const limits = { fileBytes: 2, wantedBytes: 2 };
    const found = await entriesOf([file('a', '12'), file('b', '12345')], { limits, wanted: (path) => path === 'a' });
    expect(found).toHaveLength(2);
  });

  const MiB = 1024 * 1024;
  it.each([
    { packed: 1, unpacked: 64 * MiB + 10, refused: false, because: 'so much may come out of any layer' },
    { packed: 1, unpacked: 64 * MiB + 11, refused: true, because: 'and ten times its size beyond' },
    { packed: MiB, unpacked: 74 * MiB, refused: false, because: 'ten times a larger size' },
    { packed: MiB, unpacked: 74 * MiB + 1, refused: true, because: 'and no more' },
  ])('bound how much a layer grows: $because', ({ packed, unpacked, refused }) => {
    const allowance = new Allowance({ ...defaultRegistryLimits, expansion: 10 }, refuse);
    allowance.feed(packed);
    const unpack = () => allowance.unpack(unpacked);
    if (refused) expect(unpack).toThrow(refusal('TooLarge', 'more than 10 times their size when unpacked'));
    else expect(unpack).not.toThrow();
  });

  it('count each name of a file', () => {
    const allowance = new Allowance({ ...defaultRegistryLimits, wantedBytes: 10 }, refuse);
    expect(() => allowance.checkNamed([{ size: 5 }, { size: 5 }])).not.toThrow();
    expect(() => allowance.checkNamed([{ size: 5 }, { size: 5 }, { size: 1 }])).toThrow(
      refusal('TooLarge', 'counting each name of a file'),
    );
  });
});
