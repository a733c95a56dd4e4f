import { beforeEach, describe, expect, it } from 'vitest';
import { MetasIndex } from '#core/catalog/metas/metas-index';
import type { OpenContent } from '../content/content-store.port.js';
import { MetasContent } from './metas-content.js';

const CHUNK = 256 * 1024;
const BYTES = Buffer.from(Array.from({ length: 3 * CHUNK }, (_, at) => (at * 7 + (at >> 8)) % 251));

let closed: number;
let reads: number[];
let most: number;
let underWay: number;
beforeEach(() => {
  closed = 0;
  reads = [];
  most = 0;
  underWay = 0;
});
function contentOf(bytes: Uint8Array, size = bytes.length): MetasContent {
  const content: OpenContent = {
    size,
    read: async (from, length) => {
      reads.push(length);
      underWay += 1;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay -= 1;
      return bytes.subarray(from, from + length);
    },
    close: async () => {
      closed += 1;
    },
  };
  return new MetasContent(content, MetasIndex.fromColumns([], new Uint32Array()));
}
const all = async (pieces: AsyncGenerator<Uint8Array>) => Buffer.concat(await Array.fromAsync(pieces));

describe('MetasContent', () => {
  it.each([
    { because: 'nothing', ranges: [] },
    { because: 'a range of no bytes', ranges: [{ start: 5, length: 0 }] },
    { because: 'one range', ranges: [{ start: 5, length: 10 }] },
    {
      because: 'ranges in their order',
      ranges: [
        { start: 100, length: 3 },
        { start: 0, length: 3 },
      ],
    },
    { because: 'more than one chunk', ranges: [{ start: 1, length: 2 * CHUNK + 7 }] },
    { because: 'all of it', ranges: [{ start: 0, length: 3 * CHUNK }] },
  ])('gives $because, one after the other and together', async ({ ranges }) => {
    const wanted = Buffer.concat(ranges.map(({ start, length }) => BYTES.subarray(start, start + length)));
    const content = contentOf(BYTES);
    expect((await all(content.read(ranges))).equals(wanted)).toBe(true);
    expect(Buffer.concat(await content.readTogether(ranges)).equals(wanted)).toBe(true);
    expect(Math.max(0, ...reads)).toBeLessThanOrEqual(CHUNK);
  });

  it('reads some of many ranges at the same time, and not all of them', async () => {
    const ranges = Array.from({ length: 200 }, (_, at) => ({ start: at, length: 1 }));
    const pieces = await contentOf(BYTES).readTogether(ranges);
    expect(Buffer.concat(pieces).equals(BYTES.subarray(0, 200))).toBe(true);
    expect([most > 1, most <= 64]).toEqual([true, true]);
  });

  it('fails where the content ends too early', async () => {
    const content = contentOf(BYTES.subarray(0, 10), 20);
    await expect(all(content.read([{ start: 5, length: 12 }]))).rejects.toThrow('ends 7 bytes too early');
    await expect(content.readTogether([{ start: 15, length: 5 }])).rejects.toThrow('ends 5 bytes too early');
  });

  it('gives views of what is in memory, until it is closed', async () => {
    const ranges = [
      { start: 100, length: 3 },
      { start: 0, length: 2 },
    ];
    expect(contentOf(BYTES).held(ranges)).toBeUndefined();
    const open: OpenContent = {
      size: BYTES.length,
      held: BYTES,
      read: () => Promise.reject(new Error('it was read')),
      close: async () => undefined,
    };
    const content = new MetasContent(open, MetasIndex.fromColumns([], new Uint32Array()));
    expect(content.held(ranges)).toEqual([BYTES.subarray(100, 103), BYTES.subarray(0, 2)]);
    await content.close();
    expect(content.held(ranges)).toBeUndefined();
  });

  it('is closed once, and at once where it is not read', async () => {
    const content = contentOf(BYTES);
    await content.close();
    await content.close();
    expect(closed).toBe(1);
  });

  it('is closed with its last reader, be it that this one gives up', async () => {
    const content = contentOf(BYTES);
    const [one, two] = [
      content.read([{ start: 0, length: 3 * CHUNK }]),
      content.read([{ start: 0, length: 3 * CHUNK }]),
    ];
    await one.next();
    await two.next();
    await content.close();
    expect((await all(one)).length).toBe(2 * CHUNK);
    expect(closed).toBe(0);
    await two.return(undefined);
    expect(closed).toBe(1);
  });

  it('is closed with a reader that fails', async () => {
    const content = contentOf(BYTES.subarray(0, 10), 20);
    const reading = content.readTogether([{ start: 5, length: 12 }]);
    await content.close();
    await expect(reading).rejects.toThrow('too early');
    expect(closed).toBe(1);
  });

  it('has the size of its content', () => {
    expect(contentOf(BYTES).size).toBe(3 * CHUNK);
  });
});
