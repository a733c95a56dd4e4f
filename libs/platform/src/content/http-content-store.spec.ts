import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { ContentUnreachable } from './content-errors.js';
import { serveContent } from './content-handler.js';
import { digestOf } from './digest.js';
import { HttpContentStore } from './http-content-store.js';
import { MemoryContentStore } from './memory-content-store.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

async function peerWith(store: MemoryContentStore) {
  const asked: string[] = [];
  const baseUrl = await serve(async (request, response) => {
    asked.push(request.url ?? '');
    const { status, headers, body } = await serveContent(store, request.method ?? '', request.url ?? '');
    body.pipe(response.writeHead(status, headers));
  });
  return { asked, baseUrl };
}

const hello = Buffer.from('hello');

describe('HttpContentStore', () => {
  it('reads from the peer once, then from its cache, also when asked many times at once', async () => {
    const held = new MemoryContentStore();
    const digest = await held.put(hello);
    const { asked, baseUrl } = await peerWith(held);
    const store = new HttpContentStore({ baseUrl, cache: new MemoryContentStore() });
    const answers = await Promise.all([store.get(digest), store.get(digest), store.get(digest)]);
    for (const bytes of [...answers, await store.get(digest)]) expect(Buffer.from(bytes ?? [])).toEqual(hello);
    expect(asked).toEqual([`/content/${digest}`]);
  });

  it('answers undefined where the peer does not hold it', async () => {
    const { baseUrl } = await peerWith(new MemoryContentStore());
    const store = new HttpContentStore({ baseUrl: `${baseUrl}/`, cache: new MemoryContentStore() });
    expect(await store.get(digestOf(hello))).toBeUndefined();
  });

  it.each([
    { name: 'other bytes', answer: { status: 200, body: 'HELLO' }, says: /do not have that digest/ },
    { name: 'too much', answer: { status: 200, body: 'x'.repeat(2_000) }, says: /larger than the limit of 1000 bytes/ },
    { name: 'an error', answer: { status: 500, body: '' }, says: /HTTP status 500/ },
    { name: 'a redirect', answer: { status: 302, body: '' }, says: /redirect/ },
  ])('a peer that answers with $name gives an error that says so, and nothing is kept', async ({ answer, says }) => {
    const baseUrl = await serve((_request, response) =>
      response.writeHead(answer.status, { location: '/elsewhere' }).end(answer.body),
    );
    const cache = new MemoryContentStore();
    const store = new HttpContentStore({ baseUrl, cache, maxBytes: 1_000 });
    const failure = await store.get(digestOf(hello)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ContentUnreachable);
    expect(String(failure)).toMatch(says);
    expect(await cache.get(digestOf(hello))).toBeUndefined();
  });

  it('a peer that is gone or silent gives an error that names it', async () => {
    const silent = await serve(() => undefined);
    for (const baseUrl of ['http://127.0.0.1:1', silent]) {
      const store = new HttpContentStore({ baseUrl, cache: new MemoryContentStore(), timeoutMs: 100 });
      const failure = await store.get(digestOf(hello)).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ContentUnreachable);
      expect(String(failure)).toContain(baseUrl);
    }
  });
});

describe('serveContent', () => {
  it.each([
    { method: 'GET', path: '/content/sha256:short', status: 400, because: 'no digest' },
    { method: 'GET', path: '/content/..%2F..%2Fetc', status: 400, because: 'a path is no digest' },
    { method: 'GET', path: '/content/%', status: 400, because: 'not even an escape' },
    { method: 'GET', path: '/other', status: 400, because: 'not below /content/' },
    { method: 'DELETE', path: `/content/${digestOf(hello)}`, status: 405, because: 'content is only read' },
    { method: 'GET', path: `/content/${digestOf(Buffer.from('?'))}`, status: 404, because: 'not held' },
    { method: 'GET', path: `/content/${digestOf(hello)}`, status: 200, because: 'held' },
    { method: 'GET', path: `/content/${encodeURIComponent(digestOf(hello))}`, status: 200, because: 'escaped colon' },
    { method: 'HEAD', path: `/content/${digestOf(hello)}`, status: 200, because: 'is it there?' },
  ])('$method $path → $status: $because', async ({ method, path, status }) => {
    const store = new MemoryContentStore();
    await store.put(hello);
    const answer = await serveContent(store, method, path);
    expect(answer.status).toBe(status);
    const body = await text(answer.body);
    if (status === 200) expect(body).toBe(method === 'HEAD' ? '' : 'hello');
    else expect(JSON.parse(body)).toHaveProperty('error');
  });
});
