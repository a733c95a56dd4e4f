import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createZstdDecompress, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zstdFrames } from './zstd-frames.js';

const { ZSTD_c_checksumFlag, ZSTD_c_contentSizeFlag } = constants;
const frame = (text: string, params: Record<number, number> = {}) => zstdCompressSync(text, { params });
const skippable = (bytes: number) => {
  const header = Buffer.alloc(8 + bytes);
  header.writeUInt32LE(0x184d2a50 + (bytes % 16));
  header.writeUInt32LE(bytes, 4);
  return header;
};
async function* fed(chunks: readonly Uint8Array[]) {
  yield* chunks;
}
const unpacked = async (...chunks: Uint8Array[]) =>
  (await buffer(Readable.from(zstdFrames(fed(chunks))).pipe(createZstdDecompress()))).toString();
const large = 'all work and no play '.repeat(20_000) + Array.from({ length: 40_000 }, (_, at) => at * at).join();

describe('zstdFrames', () => {
  it.each([
    { because: 'one frame', stream: [frame('a')], text: 'a' },
    { because: 'an empty frame', stream: [frame('')], text: '' },
    { because: 'two frames in one chunk', stream: [Buffer.concat([frame('a'), frame('b')])], text: 'ab' },
    { because: 'a skippable frame at the end', stream: [Buffer.concat([frame('a'), skippable(30)])], text: 'a' },
    { because: 'skippable frames first', stream: [Buffer.concat([skippable(0), skippable(3), frame('a')])], text: 'a' },
    { because: 'with checksums', stream: [frame('a', { [ZSTD_c_checksumFlag]: 1 }), frame('b')], text: 'ab' },
    { because: 'of unknown length', stream: [frame('a', { [ZSTD_c_contentSizeFlag]: 0 }), frame('b')], text: 'ab' },
    { because: 'many blocks', stream: [Buffer.concat([frame(large), frame('b')])], text: `${large}b` },
    { because: 'blocks of one repeated byte', stream: [frame('x'.repeat(1_000_000))], text: 'x'.repeat(1_000_000) },
  ])('gives all of the content: $because', async ({ stream, text }) => {
    expect(await unpacked(...stream)).toBe(text);
  });

  it('gives the same however the stream is cut into chunks', async () => {
    const texts = fc.array(fc.oneof(fc.string({ maxLength: 300 }), fc.constant(large.slice(0, 200_000))), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.nat(2_000), { maxLength: 20 }), async (parts, cuts) => {
        const frames = parts.flatMap((text, at) => [skippable(at), frame(text, { [ZSTD_c_checksumFlag]: at % 2 })]);
        const stream = Buffer.concat(frames);
        const ends = [...new Set([...cuts.filter((cut) => cut < stream.length), stream.length])].sort((a, b) => a - b);
        const chunks = ends.map((end, at) => stream.subarray(ends[at - 1] ?? 0, end));
        expect(await unpacked(...chunks)).toBe(parts.join(''));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    { because: 'no zstd', stream: Buffer.from('something else'), says: 'it is not zstd' },
    {
      because: 'more behind the last frame',
      stream: Buffer.concat([frame('a'), Buffer.from('more')]),
      says: 'not zstd',
    },
    { because: 'a frame cut short', stream: frame(large).subarray(0, -1), says: 'cut short' },
    { because: 'a magic number cut short', stream: frame('a').subarray(0, 3), says: 'cut short' },
    {
      because: 'a second frame cut short',
      stream: Buffer.concat([frame('a'), frame('b').subarray(0, 9)]),
      says: 'cut short',
    },
    { because: 'a skippable frame cut short', stream: skippable(30).subarray(0, 20), says: 'cut short' },
  ])('refuses $because', async ({ stream, says }) => {
    const read = async () => {
      for await (const chunk of zstdFrames(fed([stream]))) expect(chunk.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toThrow(says);
  });
});
