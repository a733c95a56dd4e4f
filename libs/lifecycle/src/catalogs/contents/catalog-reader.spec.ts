import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CatalogReader, type ReaderLimits } from './catalog-reader.js';

/** A thread that does what the name of the catalog's folder says. */
const THREAD = `
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', ({ directory, output }) => {
    if (directory === 'hangs') return;
    if (directory === 'fails') return parentPort.postMessage({ problem: 'no space left on device' });
    if (directory === 'crashes') throw new Error('a fault of the reader');
    if (directory === 'writes') parentPort.postMessage({ wrote: 7 });
    parentPort.postMessage({ read: { unreadable: threadId + ' ' + output } });
  });
`;
const FILE = new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`);

let output: string;
let reader: CatalogReader;
beforeEach(async () => {
  output = await mkdtemp(join(tmpdir(), 'flotilla-reader-'));
  reader = readerOf();
});
afterEach(async () => {
  await expect.poll(() => reader.idle, { interval: 5 }).toBe(0);
  await rm(output, { recursive: true, force: true, maxRetries: 5 });
});

const readerOf = (limits: Partial<ReaderLimits> = {}) => new CatalogReader({ threads: 1, idleMs: 30, ...limits }, FILE);
const read = (directory: string, options: Parameters<CatalogReader['read']>[1] = {}) =>
  reader.read({ directory, output }, options);
const threadOf = (answer: object) => String(Object(answer).unreadable).split(' ')[0];

describe('the threads that read catalogs', () => {
  it('are kept for the next catalog for a while, and end without one', async () => {
    const first = threadOf(await read('a'));
    expect(reader.idle).toBe(1);
    expect(threadOf(await read('b'))).toBe(first);
    await expect.poll(() => reader.idle, { interval: 5 }).toBe(0);
    expect(threadOf(await read('c'))).not.toBe(first);
  });

  it('report a failure of the disk, and go on', async () => {
    const first = threadOf(await read('a'));
    expect(await read('fails')).toEqual({ undecided: 'no space left on device' });
    expect(threadOf(await read('b'))).toBe(first);
  });

  it('that crash are replaced', async () => {
    expect(await read('crashes')).toEqual({ undecided: 'a fault of the reader' });
    expect(reader.idle).toBe(0);
    expect(await read('a')).toMatchObject({ unreadable: expect.any(String) });
  });

  it('that take too long are ended: the catalog would take as long again', async () => {
    reader = readerOf({ deadlineMs: 20 });
    expect(await read('hangs')).toEqual({
      undecided: 'reading it took longer than 0.02 s and was ended',
      isOfContent: true,
    });
  });

  it('end when the catalog is not wanted any more', async () => {
    const end = new AbortController();
    const reading = read('hangs', { signal: end.signal });
    end.abort(new Error('not wanted'));
    await expect(reading).rejects.toThrow('not wanted');
    expect(reader.idle).toBe(0);
  });

  it('end when the disk is full, which the caller notices while they write', async () => {
    const full = new AbortController();
    const onDisk = (bytes: number) => {
      full.abort(new Error(`${bytes} bytes are too many`));
      throw new Error('full');
    };
    await expect(read('writes', { signal: full.signal, onDisk })).rejects.toThrow('7 bytes are too many');
  });

  it('write where they are asked to', async () => {
    expect(Object(await read('a')).unreadable).toContain(output);
    expect(await readdir(output)).toEqual([]);
  });
});
