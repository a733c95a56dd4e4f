import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { retryDelay } from './http-transport.js';
import { warningsOf } from './warnings.js';
import { WatchLines } from './watch-lines.js';

describe('Retry-After', () => {
  it.each([
    { status: 429, header: '3', delay: 3000, because: 'seconds' },
    { status: 503, header: ['2', '9'], delay: 2000, because: 'the first of several' },
    { status: 429, header: '86400', delay: 30_000, because: 'at most half a minute' },
    { status: 429, header: '-1', delay: undefined, because: 'no time before now' },
    { status: 429, header: 'soon', delay: undefined, because: 'no number' },
    { status: 429, header: undefined, delay: undefined, because: 'nothing asked' },
    { status: 409, header: '1', delay: undefined, because: 'no status of overload' },
  ])('$status with $header: $because', ({ status, header, delay }) => {
    expect(retryDelay(status, header)).toBe(delay);
  });
});

describe('Warning', () => {
  it.each([
    { header: undefined, texts: [], because: 'none' },
    { header: '299 - "one"', texts: ['one'], because: 'one' },
    {
      header: '299 - "one", 299 agent "two, and more"',
      texts: ['one', 'two, and more'],
      because: 'several in one line',
    },
    { header: ['299 - "one"', '299 - "two"'], texts: ['one', 'two'], because: 'several lines' },
    { header: '299 - "unknown field \\"spec.x\\""', texts: ['unknown field "spec.x"'], because: 'quotes in it' },
    { header: '110 - "stale"', texts: [], because: 'a warning of caches' },
  ])('$because', ({ header, texts }) => {
    expect(warningsOf(header)).toEqual(texts);
  });
});

describe('the lines of a watch', () => {
  /** The next line, or the end the server made. */
  async function taken(read: WatchLines) {
    const { promise, resolve } = Promise.withResolvers<void>();
    let next = read.take({ onLines: resolve });
    if (next === undefined) {
      await promise;
      next = read.take({ onLines: () => undefined });
    }
    if (next !== undefined && 'end' in next && 'error' in next.end) throw next.end.error;
    return next ?? { end: {} };
  }

  async function lines(chunks: Buffer[]): Promise<string[]> {
    const read = new WatchLines(Readable.from(chunks), () => true);
    const found: string[] = [];
    for (let next = await taken(read); 'line' in next; next = await taken(read)) found.push(next.line);
    return found;
  }

  it.each([1, 2, 3, 5, 1000])('are the same however the bytes arrive (%d at a time)', async (size) => {
    const bytes = Buffer.from('{"a":"ü€😀"}\n\n{"b":2}\n{"half');
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    );
    await expect(lines(chunks)).resolves.toEqual(['{"a":"ü€😀"}', '', '{"b":2}']);
  });

  it.each([
    ['the server had ended', () => true, { end: {} }],
    ['the connection had broken', () => false, { end: { error: expect.objectContaining({ failure: 'lost' }) } }],
  ])('end where %s before they were asked for', async (_what, whole, found) => {
    const body = Readable.from([]);
    body.destroy();
    await once(body, 'close');
    expect(new WatchLines(body, whole).take({ onLines: () => undefined })).toEqual(found);
  });

  it('are not endless', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    await expect(lines(Array.from({ length: 17 }, () => chunk))).rejects.toMatchObject({ failure: 'too-large' });
  });
});
