import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedServerOptions,
  startScriptedServer,
} from '#testing/control-plane/scripted-server';
import { startTcpProxy } from '#testing/control-plane/tcp-proxy';
import { aWhile, PATIENCE } from '#testing/patience';
import { type CredentialSource, type Credentials, fixedCredentials } from './credentials.js';
import { HttpTransport, type TransportOptions } from './http-transport.js';

const PROTOCOLS = ['h2', 'http/1.1', 'plain http'] as const;
const TOKEN = 'c2VjcmV0LXRva2VuLW9mLWEtdGVzdA';
const endings: Array<() => Promise<unknown>> = [];

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

type Setting = Partial<Omit<TransportOptions, 'server'>> & Readonly<{ prefix?: string; port?: number }>;

async function connected(server: ScriptedServerOptions, { prefix = '', port, ...setting }: Setting = {}) {
  const scripted = await startScriptedServer(server);
  endings.push(() => scripted.stop());
  const credentials = fixedCredentials({ headers: { authorization: `Bearer ${TOKEN}` }, tls: { ca: scripted.ca } });
  const url = new URL(prefix, scripted.url);
  if (port !== undefined) url.port = String(port);
  const transport = new HttpTransport({ credentials, ...setting, server: url });
  endings.push(() => transport.close());
  return { transport, server: scripted };
}

const get = (path: string) => ({ method: 'GET', path }) as const;
const post = (path: string) => ({ method: 'POST', path, body: '{}' }) as const;

/** Answers of one script after the other, the last one for ever; keeps what was asked. */
function script(...answers: Array<(request: ScriptedRequest) => ScriptedAnswer | undefined>) {
  const asked: ScriptedRequest[] = [];
  const answer = (request: ScriptedRequest) => {
    asked.push(request);
    return answers[Math.min(asked.length, answers.length) - 1]?.(request);
  };
  return { asked, answer };
}

const fine = () => ({ body: 'fine' });

describe.each(PROTOCOLS)('a transport over %s', (protocol) => {
  it('sends the method, the path below the prefix of the server, the credentials and the body', async () => {
    const { asked, answer } = script(() => ({ status: 201, headers: { warning: '299 - "w"' }, body: 'made' }));
    const { transport } = await connected({ protocol, answer }, { prefix: '/clusters/blue/' });
    const response = await transport.request({ ...post('/api/v1/things?dryRun=All'), headers: { accept: 'x/y' } });
    expect(response).toMatchObject({ status: 201, text: 'made', headers: { warning: '299 - "w"' } });
    expect(asked).toMatchObject([
      {
        method: 'POST',
        path: '/clusters/blue/api/v1/things?dryRun=All',
        headers: { authorization: `Bearer ${TOKEN}`, accept: 'x/y' },
        body: '{}',
      },
    ]);
  });

  it('uses one connection for requests that follow each other', async () => {
    const { transport, server } = await connected({ protocol, answer: fine });
    for (let n = 0; n < 20; n += 1) await transport.request(get('/'));
    expect(server.connections()).toBeLessThanOrEqual(protocol === 'http/1.1' ? 2 : 1);
  });

  it('is not held up by watches that stay open', async () => {
    const answer = ({ path }: ScriptedRequest) => (path === '/watch' ? { body: 'event\n', open: true } : fine());
    const { transport } = await connected({ protocol, answer });
    const watches = await Promise.all(Array.from({ length: 40 }, () => transport.stream(get('/watch'))));
    await expect(transport.request(get('/'))).resolves.toMatchObject({ text: 'fine' });
    for (const { body } of watches) body.destroy();
  });

  it('reads what is gzipped', async () => {
    const body = gzipSync('a long answer');
    const answer = () => ({ body, headers: { 'content-encoding': 'gzip' } });
    const { transport } = await connected({ protocol, answer });
    await expect(transport.request(get('/'))).resolves.toMatchObject({ text: 'a long answer' });
  });

  it('rests for what it unpacks, not for the few bytes that were sent', async () => {
    const packed = { body: gzipSync(Buffer.alloc(1024 * 1024, ' ')), headers: { 'content-encoding': 'gzip' } };
    let workMs = 0;
    const rest = (ms: number) => {
      workMs += ms;
      return undefined;
    };
    const { transport } = await connected({ protocol, answer: () => packed }, { rest });
    await transport.request(get('/'));
    expect(workMs).toBeCloseTo(6); // 8 ms a MiB, but for the first 256 KiB
  });

  it.each([
    { body: 'x'.repeat(2000), headers: {}, because: 'it is long' },
    { body: gzipSync('x'.repeat(2000)), headers: { 'content-encoding': 'gzip' }, because: 'it is long when unpacked' },
  ])('refuses an answer larger than the bound: $because', async ({ body, headers }) => {
    const { transport } = await connected({ protocol, answer: () => ({ body, headers }) }, { maxResponseBytes: 1000 });
    await expect(transport.request(get('/'))).rejects.toMatchObject({ failure: 'too-large' });
  });

  it('gives up at the deadline', async () => {
    const { transport } = await connected({ protocol, answer: () => undefined }, { requestTimeoutMs: 100 });
    await expect(transport.request(get('/'))).rejects.toMatchObject({ failure: 'timeout' });
    await expect(transport.stream(get('/'))).rejects.toMatchObject({ failure: 'timeout' });
  });

  it('asks anew after a lost connection when it only reads', async () => {
    const sever = (request: ScriptedRequest) => request.sever() as undefined;
    const { asked, answer } = script(fine, sever, fine);
    const { transport } = await connected({ protocol, answer });
    await transport.request(get('/'));
    await expect(transport.request(get('/'))).resolves.toMatchObject({ text: 'fine' });
    expect(asked).toHaveLength(3);
  });

  it('does not repeat a write that may have been carried out', async () => {
    const sever = (request: ScriptedRequest) => request.sever() as undefined;
    const { asked, answer } = script(fine, sever, fine);
    const { transport } = await connected({ protocol, answer });
    await transport.request(get('/'));
    await expect(transport.request(post('/'))).rejects.toMatchObject({ failure: 'lost' });
    expect(asked).toHaveLength(2);
  });

  it('a broken connection in the middle of an answer is no answer', async () => {
    const half = (request: ScriptedRequest) => {
      setTimeout(request.sever, 50);
      return { body: '{"half":', open: true };
    };
    const { transport } = await connected({ protocol, answer: half });
    await expect(transport.request(get('/'))).rejects.toMatchObject({ failure: 'lost' });
  });

  it('after close nothing is sent', async () => {
    const { transport } = await connected({ protocol, answer: fine });
    await transport.request(get('/'));
    await transport.close();
    await expect(transport.request(get('/'))).rejects.toMatchObject({ failure: 'closed' });
  });
});

describe('a server that is overloaded', () => {
  const busy = (status: number, retryAfter?: string) => () => ({
    status,
    body: 'busy',
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  });

  it.each([
    { status: 429, after: '2', waits: [2000, 2000], because: 'it asks to be asked again later' },
    { status: 503, after: '1', waits: [1000, 1000], because: 'it asks the same in other words' },
    { status: 429, after: '3600', waits: [30_000, 30_000], because: 'no wait is longer than half a minute' },
  ])('$status, Retry-After $after: $because', async ({ status, after, waits }) => {
    const slept: number[] = [];
    const sleep = async (milliseconds: number) => void slept.push(milliseconds);
    const { answer } = script(busy(status, after), busy(status, after), fine);
    const { transport } = await connected({ protocol: 'h2', answer }, { sleep });
    await expect(transport.request(post('/'))).resolves.toMatchObject({ status: 200 });
    expect(slept).toEqual(waits);
  });

  it('is not asked for ever', async () => {
    const { asked, answer } = script(busy(429, '0'));
    const { transport } = await connected({ protocol: 'h2', answer }, { maxTries: 4 });
    await expect(transport.request(get('/'))).resolves.toMatchObject({ status: 429, text: 'busy' });
    expect(asked).toHaveLength(4);
  });

  it.each([
    { status: 429, after: undefined, because: 'it does not ask to be asked again' },
    { status: 500, after: undefined, because: 'an error is an answer' },
    { status: 404, after: '1', because: 'this header means nothing with this status' },
    { status: 503, after: 'Fri, 31 Dec 2099 23:59:59 GMT', because: 'API servers send seconds' },
  ])('$status with Retry-After $after is taken as it is: $because', async ({ status, after }) => {
    const { asked, answer } = script(busy(status, after));
    const { transport } = await connected({ protocol: 'h2', answer });
    await expect(transport.request(get('/'))).resolves.toMatchObject({ status });
    expect(asked).toHaveLength(1);
  });
});

describe('HTTP/2', () => {
  it('keeps within the streams that the server allows, and still answers all', async () => {
    let open = 0;
    let most = 0;
    const answer = async ({ connection }: ScriptedRequest) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      return { body: String(connection) };
    };
    const { transport, server } = await connected({ protocol: 'h2', answer, settings: { maxConcurrentStreams: 2 } });
    await transport.request(get('/'));
    const answers = await Promise.all(Array.from({ length: 50 }, () => transport.request(get('/'))));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(server.connections()).toBeLessThanOrEqual(4);
    expect(most).toBeLessThanOrEqual(2 * server.connections());
  });

  it('gives the next free stream to a request that still waits, not to one that was given up', async () => {
    const held: (() => void)[] = [];
    const answer = async () => {
      await new Promise<void>((resolve) => held.push(resolve));
      return { body: 'at last' };
    };
    const { transport } = await connected({ protocol: 'h2', answer, settings: { maxConcurrentStreams: 1 } });
    // As many as all connections together may carry.
    const running: Promise<unknown>[] = [];
    for (const count of [1, 2, 3, 4]) {
      running.push(transport.request(get('/')));
      await expect.poll(() => held.length, PATIENCE).toBe(count);
    }
    const givenUp = new AbortController();
    const first = transport.request({ ...get('/'), signal: givenUp.signal });
    const second = transport.request(get('/'));
    await aWhile();
    givenUp.abort();
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
    held.shift()?.();
    await expect.poll(() => held.length, PATIENCE).toBe(4);
    for (const release of held.splice(0)) release();
    await expect(Promise.all([...running, second])).resolves.toHaveLength(5);
  });

  it('sends again what the server refused before processing it, writes too', async () => {
    const { asked, answer } = script((request) => request.refuse() as undefined, fine);
    const { transport } = await connected({ protocol: 'h2', answer });
    await expect(transport.request(post('/'))).resolves.toMatchObject({ text: 'fine' });
    expect(asked).toHaveLength(2);
  });

  it('moves to another connection when the server says goodbye, and lets running answers end', async () => {
    const release = Promise.withResolvers<void>();
    const answer = async ({ path, session, connection }: ScriptedRequest) => {
      if (path === '/slow') await release.promise;
      if (path === '/goodbye') session?.goaway();
      return { body: String(connection) };
    };
    const { transport } = await connected({ protocol: 'h2', answer });
    await transport.request(get('/'));
    const slow = transport.request(get('/slow'));
    await transport.request(get('/goodbye'));
    await expect.poll(async () => (await transport.request(get('/'))).text).toBe('2');
    release.resolve();
    await expect(slow).resolves.toMatchObject({ text: '1' });
  });

  it('finds out that the other end is gone', async () => {
    const scripted = await startScriptedServer({ protocol: 'h2', answer: () => ({ body: 'event\n', open: true }) });
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: scripted.port });
    endings.push(
      () => scripted.stop(),
      () => proxy.stop(),
    );
    const transport = new HttpTransport({
      server: new URL(`https://127.0.0.1:${proxy.port}`),
      credentials: fixedCredentials({ headers: {}, tls: { ca: scripted.ca } }),
      pingIntervalMs: 50,
      pingTimeoutMs: 100,
    });
    endings.push(() => transport.close());
    const watch = await transport.stream(get('/watch'));
    proxy.stall();
    await Array.fromAsync(watch.body).catch(() => undefined);
    expect(watch.whole()).toBe(false);
    proxy.resume();
    const again = await transport.stream(get('/watch'));
    expect(again.status).toBe(200);
    again.body.destroy();
  });
});

describe('credentials', () => {
  const source = (...all: Credentials[]): CredentialSource => {
    let index = 0;
    return {
      current: () => Promise.resolve(all[Math.min(index, all.length - 1)] ?? { headers: {}, tls: {} }),
      forget: () => {
        index += 1;
        return true;
      },
    };
  };

  it('are asked for anew once when the server does not take them', async () => {
    const seen: unknown[] = [];
    const answer = ({ headers }: ScriptedRequest) => {
      seen.push(headers.authorization);
      return { status: headers.authorization === 'Bearer new' ? 200 : 401 };
    };
    const scripted = await startScriptedServer({ protocol: 'h2', answer });
    endings.push(() => scripted.stop());
    const tls = { ca: scripted.ca };
    const of = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, tls });
    const renewing = new HttpTransport({ server: scripted.url, credentials: source(of('old'), of('new')) });
    const refused = new HttpTransport({ server: scripted.url, credentials: source(of('old'), of('older'), of('new')) });
    endings.push(
      () => renewing.close(),
      () => refused.close(),
    );
    await expect(renewing.request(get('/'))).resolves.toMatchObject({ status: 200 });
    expect(seen).toEqual(['Bearer old', 'Bearer new']);
    await expect(refused.request(get('/'))).resolves.toMatchObject({ status: 401 });
  });

  it('that changed for TLS get connections of their own', async () => {
    const scripted = await startScriptedServer({
      protocol: 'h2',
      answer: ({ connection }) => ({ body: String(connection) }),
    });
    endings.push(() => scripted.stop());
    const rotating = source(
      { headers: {}, tls: { ca: scripted.ca } },
      { headers: {}, tls: { ca: [scripted.ca].join() } },
    );
    const transport = new HttpTransport({ server: scripted.url, credentials: rotating });
    endings.push(() => transport.close());
    const texts = [(await transport.request(get('/'))).text, (await transport.request(get('/'))).text];
    rotating.forget();
    texts.push((await transport.request(get('/'))).text);
    expect(texts).toEqual(['1', '1', '2']);
  });

  it('that cannot be had say why', async () => {
    const credentials = { current: () => Promise.reject(new Error('the plugin is missing')), forget: () => false };
    const { transport } = await connected({ protocol: 'h2', answer: fine }, { credentials });
    const failed = { failure: 'credentials', message: 'the plugin is missing' };
    await expect(transport.request(get('/'))).rejects.toMatchObject(failed);
  });
});

describe('a server that cannot be reached', () => {
  it('is not trusted without its authority', async () => {
    const { transport } = await connected(
      { protocol: 'h2', answer: fine },
      { credentials: fixedCredentials({ headers: {}, tls: {} }) },
    );
    await expect(transport.request(get('/'))).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringMatching(/certificate/),
    });
  });

  it('is not trusted under another name than its certificate has, unless asked to', async () => {
    const scripted = await startScriptedServer({ protocol: 'h2', answer: fine });
    endings.push(() => scripted.stop());
    const client = (tls: Credentials['tls']) => {
      const transport = new HttpTransport({
        server: scripted.url,
        credentials: fixedCredentials({ headers: {}, tls }),
      });
      endings.push(() => transport.close());
      return transport.request(get('/'));
    };
    const { ca } = scripted;
    await expect(client({ ca, servername: 'elsewhere.example.com' })).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringContaining('elsewhere.example.com'),
    });
    await expect(client({ ca, servername: 'localhost' })).resolves.toMatchObject({ text: 'fine' });
    await expect(client({ rejectUnauthorized: false })).resolves.toMatchObject({ text: 'fine' });
  });

  it('no process listens', async () => {
    const { transport, server } = await connected({ protocol: 'h2', answer: fine });
    await server.stop();
    endings.splice(0, 1);
    await expect(transport.request(get('/'))).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('a process listens but never answers', async () => {
    const scripted = await startScriptedServer({ protocol: 'h2', answer: fine });
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: scripted.port });
    endings.push(
      () => scripted.stop(),
      () => proxy.stop(),
    );
    proxy.stall();
    const transport = new HttpTransport({
      server: new URL(`https://127.0.0.1:${proxy.port}`),
      credentials: fixedCredentials({ headers: {}, tls: {} }),
      connectTimeoutMs: 100,
    });
    endings.push(() => transport.close());
    await expect(transport.request(get('/'))).rejects.toMatchObject({
      failure: 'unreachable',
      message: 'no answer to the TLS handshake',
    });
  });
});
