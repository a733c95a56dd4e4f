import { describe, expect, it } from 'vitest';
import { type ArchiveEntry, paxBlocks, tarArchive, tarHeader } from '#testing/registry/tar-archive';
import { settles } from '#testing/settles';
import { readTar } from './tar-reader.js';

type Read = Readonly<{ name: string; type: string; size: number; link: string; text?: string }>;

/**
 * All entries, with the content of those that are wanted, of an archive that comes in chunks of that size.
 */
async function read(archive: Uint8Array, chunkSize = 512, wanted: (name: string) => boolean = () => true) {
  const chunks = async function* () {
    for (let at = 0; at < archive.length; at += chunkSize) yield archive.subarray(at, at + chunkSize);
  };
  const entries: Read[] = [];
  for await (const { name, type, size, linkName: link, body } of readTar(chunks())) {
    const parts: Uint8Array[] = [];
    if (wanted(name)) for await (const part of body) parts.push(part);
    entries.push({ name, type, size, link, ...(wanted(name) && { text: Buffer.concat(parts).toString('latin1') }) });
  }
  return entries;
}

const archiveOf = (...entries: ArchiveEntry[]) => tarArchive(entries);
const only = async (archive: Uint8Array) => (await read(archive))[0];

describe('readTar', () => {
  it.each([1, 511, 512, 513, 1537, 16_384])('reads and skips in any order, in chunks of %i bytes', async (size) => {
    const bodies = ['', 'a', 'b'.repeat(511), 'c'.repeat(512), 'd'.repeat(513), 'e'.repeat(9_000), 'f'];
    const archive = archiveOf(...bodies.map((body, at) => ({ name: `f${at}`, body })));
    for (const parity of [0, 1]) {
      const wanted = (name: string) => Number(name.slice(1)) % 2 === parity;
      const found = await settles(read(archive, size, wanted), 'readTar');
      expect(found.map(({ text }) => text)).toEqual(bodies.map((body, at) => (at % 2 === parity ? body : undefined)));
      expect(found.map((one) => one.size)).toEqual(bodies.map((body) => body.length));
    }
  });

  it('continues behind a body that was read in part', async () => {
    const archive = archiveOf({ name: 'a', body: 'x'.repeat(2_000) }, { name: 'b' });
    const names: string[] = [];
    for await (const { name, body } of readTar(
      ReadableStream.from([archive.subarray(0, 900), archive.subarray(900)]),
    )) {
      names.push(name);
      for await (const _ of body) break;
    }
    expect(names).toEqual(['a', 'b']);
  });

  it.each(['pax', 'gnu'] as const)('reads long names and targets in headers of %s', async (longNames) => {
    const name = `${'directory/'.repeat(20)}é.yaml`;
    const link = `${'target/'.repeat(30)}x`;
    const found = await read(
      archiveOf({ name, body: 'x', longNames }, { name: 'l', type: 'symlink', link, longNames }),
    );
    expect(found).toMatchObject([
      { name, text: 'x' },
      { name: 'l', type: 'symlink', link },
    ]);
  });

  it('joins the prefix of a POSIX header, and takes none from one of GNU', async () => {
    const prefixed = tarHeader('b', '0', 0, '', (block) => block.write('a', 345));
    const gnu = tarHeader('b', '0', 0, '', (block) => {
      block.write('ustar  \0', 257);
      block.write('00000000001\0', 345);
    });
    expect((await read(Buffer.concat([prefixed, gnu]))).map(({ name }) => name)).toEqual(['a/b', 'b']);
  });

  it('lets no header for the whole archive change an entry', async () => {
    const archive = Buffer.concat([
      ...paxBlocks(
        [
          ['path', 'other'],
          ['comment', 'c'],
        ],
        'g',
      ),
      archiveOf({ name: 'a' }),
    ]);
    expect(await only(archive)).toMatchObject({ name: 'a' });
  });

  it.each(['old', '0.0', '0.1', '1.0'] as const)('fills the holes of sparse files of format %s', async (sparse) => {
    const hole = '\0'.repeat(1024);
    const many = Array.from({ length: 60 }, (_, at) => String.fromCharCode(65 + (at % 26)).repeat(512) + hole).join('');
    const bodies = [`${hole}a${hole}`, `${'b'.repeat(512)}${hole}c`, hole, '', many];
    const entries = bodies.map((body, at) => ({ name: `f${at}`, body, sparse }));
    const found = await read(archiveOf(...entries, { name: 'end', body: 'x' }), 700);
    expect(found.map(({ text }) => text)).toEqual([...bodies, 'x']);
    expect(found.map(({ name }) => name)).toEqual([...entries.map(({ name }) => name), 'end']);
    expect(await read(archiveOf(...entries, { name: 'end' }), 700, () => false)).toHaveLength(6);
  });

  it.each([
    { because: 'a directory', entry: { name: 'd/', type: 'directory' }, type: 'directory' },
    { because: 'a hard link', entry: { name: 'h', type: 'link', link: 'a' }, type: 'link' },
    { because: 'a pipe', entry: { name: 'p', type: 'pipe' }, type: 'other' },
    { because: 'a device', entry: { name: 'p', type: 'device' }, type: 'other' },
    { because: 'a file whose name ends like that of a directory', entry: { name: 'd/' }, type: 'file' },
  ] as const)('knows $because', async ({ entry, type }) => {
    expect(await only(archiveOf(entry))).toMatchObject({ type });
  });

  it.each([
    { because: 'without closing blocks', archive: tarArchive([{ name: 'a', body: 'x'.repeat(512) }], false) },
    { because: 'with one closing block', archive: archiveOf({ name: 'a', body: 'x'.repeat(512) }).subarray(0, -512) },
    {
      because: 'with other bytes behind its end',
      archive: Buffer.concat([archiveOf({ name: 'a' }), Buffer.from('x')]),
    },
    { because: 'of an old program: a directory', archive: tarHeader('d/', '\0', 0) },
    {
      because: 'with a size in base 256',
      archive: tarHeader('a', '0', 0, '', (block) => block.fill(0, 124, 136).fill(0x80, 124, 125)),
    },
    {
      because: 'with times and owners that are no numbers',
      archive: tarHeader('a', '0', 0, '', (block) => block.fill(0xff, 136, 148)),
    },
  ])('reads an archive $because', async ({ archive }) => {
    expect(await read(archive)).toHaveLength(1);
  });

  it.each([
    { because: 'cut short in a header', archive: archiveOf({ name: 'a' }).subarray(0, 300), says: 'within a header' },
    {
      because: 'cut short in a file',
      archive: archiveOf({ name: 'a', body: 'xyz' }).subarray(0, 514),
      says: 'within a file',
    },
    { because: 'with a wrong checksum', archive: Buffer.alloc(512, 'x'), says: 'wrong checksum' },
    {
      because: 'with an empty header',
      archive: Buffer.concat([Buffer.alloc(512), archiveOf({ name: 'a' })]),
      says: 'is empty',
    },
    {
      because: 'with a negative size',
      archive: tarHeader('a', '0', 0, '', (block) => block.fill(0xff, 124, 136)),
      says: 'not a number',
    },
    {
      because: 'with a size in letters',
      archive: tarHeader('a', '0', 0, '', (block) => block.write('zz', 124)),
      says: 'not a number',
    },
    {
      because: 'with a bad PAX header',
      archive: Buffer.concat([tarHeader('x', 'x', 4), Buffer.from('9 a=').subarray(0, 4), Buffer.alloc(508)]),
      says: 'PAX header is malformed',
    },
    { because: 'with a long name without end', archive: tarHeader('x', 'L', 2 ** 21), says: 'has 2097152 bytes' },
    {
      because: 'with pieces out of order',
      archive: Buffer.concat([
        ...paxBlocks([
          ['GNU.sparse.map', '5,1,0,1'],
          ['GNU.sparse.numblocks', '2'],
          ['GNU.sparse.size', '9'],
        ]),
        tarHeader('a', '0', 0),
      ]),
      says: 'sparse file is malformed',
    },
  ])('refuses an archive $because', async ({ archive, says }) => {
    for (const wanted of [true, false]) {
      await expect(
        settles(
          read(archive, 512, () => wanted),
          'readTar',
        ),
      ).rejects.toThrow(says);
    }
  });

  it('ends its source when it is left early', async () => {
    let ended = false;
    async function* chunks() {
      try {
        for (;;) yield archiveOf({ name: 'a' }).subarray(0, 512);
      } finally {
        ended = true;
      }
    }
    for await (const _ of readTar(chunks())) break;
    expect(ended).toBe(true);
  });
});
