import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CATALOGS } from '#core/catalog/metas/metas-route';
import type { OpenContent } from '../content/content-store.port.js';
import { digestOf } from '../content/digest.js';
import { contentInMemory } from '../content/open-content.js';
import { gzippedContent } from './gzipped-content.js';
import { MetasIndexFiles } from './index-files.js';
import { indexLines } from './index-lines.js';
import { MetasContent } from './metas-content.js';
import { MetasServer } from './serve-metas.js';

const line = (name: string, filling = 0) =>
  `${JSON.stringify({ filling: 'ü'.repeat(filling), name, package: 'p', schema: 'note' })}\n`;
const contentOf = (text: string): OpenContent => contentInMemory(Buffer.from(text));

describe('the index of a content', () => {
  it('finds lines that are longer than what is read at once', async () => {
    const lines = [line('a'), line('b', 400_000), line('c')];
    const index = await indexLines(contentOf(lines.join('')));
    const [first = '', second = ''] = lines;
    expect(index.find({ name: 'b' })).toEqual([{ start: Buffer.byteLength(first), length: Buffer.byteLength(second) }]);
    expect(index.blobs).toBe(3);
  });

  it('takes a last line without line feed', async () => {
    const index = await indexLines(contentOf(`${line('a')}{"name":"b","schema":"note"}`));
    expect(index.find({ name: 'b' })).toEqual([{ start: line('a').length, length: 28 }]);
  });
});

describe('indexes that are kept', () => {
  const text = `${line('a')}${line('b')}`;
  const digest = digestOf(Buffer.from(text));
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'metas-'));
  });
  afterEach(() => rm(folder, { recursive: true, maxRetries: 5 }));

  /** Fails when the content is read. */
  const unreadable: OpenContent = {
    ...contentOf(text),
    read: () => Promise.reject(new Error('the content was read')),
  };

  it('are opened by the next process without reading the content', async () => {
    const made = await (await MetasIndexFiles.open(folder, new Date())).of(digest, contentOf(text));
    const kept = await (await MetasIndexFiles.open(folder, new Date())).of(digest, unreadable);
    expect(kept.find({ name: 'b' })).toEqual(made.find({ name: 'b' }));
  });

  it('are made again where a byte of them changed', async () => {
    const files = await MetasIndexFiles.open(folder, new Date());
    await files.of(digest, contentOf(text));
    const [name = ''] = await readdir(folder);
    const bytes = await readFile(join(folder, name));
    bytes[bytes.length - 1] = 1;
    await writeFile(join(folder, name), bytes);
    expect((await files.of(digest, contentOf(text))).find({ name: 'b' })).toHaveLength(1);
    await expect(files.of(digest, unreadable)).resolves.toBeDefined();
  });

  it('are removed when they were not used for a week', async () => {
    const files = await MetasIndexFiles.open(folder, new Date());
    await files.of(digest, contentOf(text));
    const [name = ''] = await readdir(folder);
    const old = new Date(Date.now() - 8 * 24 * 3_600_000);
    await utimes(join(folder, name), old, old);
    await MetasIndexFiles.open(folder, new Date());
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('the server', () => {
  let server: Server;
  let content: MetasContent;
  let closed: number;
  const text = Array.from({ length: 40 }, (_, n) => line(`n${n}`, 10_000)).join('');

  async function serve(maxBodies = 10, gzip = gzippedContent, memory: Pick<OpenContent, 'held'> = {}): Promise<void> {
    closed = 0;
    const open = { ...contentOf(text), ...memory, close: async () => void closed++ };
    content = new MetasContent(open, await indexLines(open), gzip);
    const metas = new MetasServer({
      place: CATALOGS,
      maxBodies,
      find: () => ({ content, modified: new Date('2026-01-01T00:00:00Z') }),
    });
    server = createServer((incoming, response) => void metas.answer(incoming, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  afterEach(async () => {
    await content.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = (headers: Record<string, string> = {}, endpoint = 'all') =>
    new Promise<{ status: number; bytes: Buffer }>((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const path = `/catalogs/shop/api/v1/${endpoint}`;
      const sent = request({ port, host: '127.0.0.1', path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(chunks) }));
      });
      sent.on('error', reject);
      sent.end();
    });

  it('streams what is large, plain and compressed', async () => {
    await serve();
    expect((await ask()).bytes.toString()).toBe(text);
    expect(gunzipSync((await ask({ 'accept-encoding': 'gzip' })).bytes).toString()).toBe(text);
  });

  it('sends what is in memory without reading it', async () => {
    await serve(10, gzippedContent, { held: Buffer.from(text) });
    content.readTogether = () => Promise.reject(new Error('it was read'));
    expect((await ask()).bytes.toString()).toBe(text);
    const some = Array.from({ length: 40 }, (_, n) => line(`n${n}`, 10_000)).filter((_, n) => n === 7);
    expect((await ask({}, 'metas?name=n7')).bytes.toString()).toBe(some.join(''));
    expect((await ask({ range: 'bytes=20-29' })).bytes.toString()).toBe('üüüüü');
    expect((await ask({}, 'metas?name=none')).bytes.toString()).toBe('');
    expect(gunzipSync((await ask({ 'accept-encoding': 'gzip' })).bytes).toString()).toBe(text);
  });

  it('keeps the compressed bytes in memory where the content is there, and in a file elsewhere', async () => {
    await serve();
    const held = Buffer.from(text);
    const inMemory = await gzippedContent({ ...contentOf(text), held });
    expect(gunzipSync(inMemory.held ?? Buffer.of()).toString()).toBe(text);
    const first = await inMemory.read(0, 100);
    expect(first.buffer).toBe(inMemory.held?.buffer);
    const inFile = await gzippedContent(contentOf(text));
    expect(inFile.held).toBeUndefined();
    expect(gunzipSync(await inFile.read(0, inFile.size)).toString()).toBe(text);
    await Promise.all([inMemory.close(), inFile.close()]);
  });

  it('compresses once for all who ask', async () => {
    let times = 0;
    await serve(10, (open) => {
      times += 1;
      return gzippedContent(open);
    });
    const answers = await Promise.all([1, 2, 3].map(() => ask({ 'accept-encoding': 'gzip' })));
    answers.push(await ask({ 'accept-encoding': 'gzip' }));
    expect(answers.map(({ bytes }) => gunzipSync(bytes).toString() === text)).toEqual([true, true, true, true]);
    expect(times).toBe(1);
    await content.close();
    expect(closed).toBe(1);
  });

  it('compresses on the way where there is no room for a temporary file', async () => {
    await serve(10, () => Promise.reject(new Error('ENOSPC')));
    expect(gunzipSync((await ask({ 'accept-encoding': 'gzip' })).bytes).toString()).toBe(text);
    await content.close();
    expect(closed).toBe(1);
  });

  it('asks clients to come again when too many bodies are under way', async () => {
    await serve(0);
    expect(await ask()).toEqual({ status: 503, bytes: Buffer.from('503 Service Unavailable\n') });
  });

  it('reads to the end of a content that is closed meanwhile', async () => {
    await serve();
    const chunks: Uint8Array[] = [];
    for await (const chunk of content.read([{ start: 0, length: content.size }])) {
      if (chunks.push(chunk) === 1) await content.close();
      expect(closed).toBe(0);
    }
    expect(Buffer.concat(chunks).toString()).toBe(text);
    expect(closed).toBe(1);
  });

  it('says 500 when the content cannot be read', async () => {
    await serve();
    content.readTogether = () => Promise.reject(new Error('the disk is gone'));
    expect(await ask({ range: 'bytes=0-9' })).toEqual({
      status: 500,
      bytes: Buffer.from('500 Internal Server Error\n'),
    });
  });
});
