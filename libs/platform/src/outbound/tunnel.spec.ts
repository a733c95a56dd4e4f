import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startScriptedServer } from '#testing/control-plane/scripted-server';
import { startSocksProxy } from '#testing/registry/socks-proxy';
import { fixedCredentials } from '../kube/transport/credentials.js';
import { HttpTransport } from '../kube/transport/http-transport.js';
import type { OutboundPolicy } from './outbound-policy.js';
import { routeThrough } from './route.js';

const endings: Array<() => unknown> = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function listen(server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function join(near: net.Socket | NodeJS.ReadWriteStream, target: string): void {
  const far = net.connect(Number(target.split(':').at(-1)), '127.0.0.1');
  far.on('error', () => undefined);
  near.on('error', () => undefined);
  near.pipe(far).pipe(near);
}

/** A proxy of HTTP CONNECT that wants a password and records the requested hosts. */
async function httpProxy(asked: string[]): Promise<number> {
  const server = http.createServer();
  server.on('connect', (request, socket) => {
    const allowed = request.headers['proxy-authorization'] === `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    asked.push(request.url ?? '');
    socket.write(allowed ? 'HTTP/1.1 200 OK\r\n\r\n' : 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    if (allowed) join(socket, request.url ?? '');
    else socket.end();
  });
  return listen(server);
}

async function socksProxy(asked: string[]): Promise<number> {
  const proxy = await startSocksProxy({ login: 'user:p@ss', log: asked });
  endings.push(() => proxy.stop());
  return proxy.port;
}

type Through = Readonly<{ host?: string; proxyPolicy?: OutboundPolicy }>;

describe.each([
  { scheme: 'http', start: httpProxy },
  { scheme: 'socks5', start: socksProxy },
])('through a proxy of $scheme', ({ scheme, start }) => {
  async function through(login: string, { host = '127.0.0.1', proxyPolicy }: Through = {}) {
    const asked: string[] = [];
    const port = await start(asked);
    const server = await startScriptedServer({ protocol: 'h2', answer: () => ({ body: 'fine' }) });
    const transport = new HttpTransport({
      server: new URL(`https://localhost:${server.port}`),
      route: routeThrough(new URL(`${scheme}://${login}@${host}:${port}`), 'proxy-url'),
      ...(proxyPolicy && { proxyPolicy }),
      credentials: fixedCredentials({ headers: {}, tls: { ca: server.ca } }),
    });
    endings.push(
      () => server.stop(),
      () => transport.close(),
    );
    return { asked, server, transport };
  }

  it('the API server is reached by HTTP/2, its name left to the proxy', async () => {
    const { asked, server, transport } = await through('user:p%40ss');
    await expect(transport.request({ method: 'GET', path: '/' })).resolves.toMatchObject({ text: 'fine' });
    await expect(transport.protocol()).resolves.toBe('h2');
    expect(asked).toEqual([`localhost:${server.port}`]);
  });

  it.each(['127.0.0.1', 'localhost', '169.254.169.254', '[::ffff:127.0.0.1]'])(
    'nothing is sent to %s where the hub does not allow that kind of address',
    async (host) => {
      const proxyPolicy = { addresses: ['public', 'private'], registryHosts: [], grpcHosts: [] } as const;
      const { asked, transport } = await through('user:p%40ss', { host, proxyPolicy });
      await expect(transport.request({ method: 'GET', path: '/' })).rejects.toMatchObject({
        failure: 'unreachable',
        message: expect.stringMatching(/^proxy-url: address of \S+ is not allowed by the hub/),
      });
      expect(asked).toEqual([]);
    },
  );

  it('the proxy may be where the hub allows it', async () => {
    const proxyPolicy = { addresses: ['loopback'], registryHosts: [], grpcHosts: [] } as const;
    const { transport } = await through('user:p%40ss', { host: 'localhost', proxyPolicy });
    await expect(transport.request({ method: 'GET', path: '/' })).resolves.toMatchObject({ text: 'fine' });
  });

  it('a refusal names the proxy and not the password', async () => {
    const { transport } = await through('user:wrong-password');
    const failed = transport.request({ method: 'GET', path: '/' });
    await expect(failed).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringContaining('proxy 127.0.0.1'),
    });
    await expect(failed).rejects.toMatchObject({ message: expect.not.stringContaining('wrong-password') });
  });
});

it('a proxy of an unknown kind is said to be one', async () => {
  const transport = new HttpTransport({
    server: new URL('https://localhost:1'),
    route: routeThrough(new URL('ftp://127.0.0.1:1'), 'proxy-url'),
    credentials: fixedCredentials({ headers: {}, tls: {} }),
  });
  const failed = { failure: 'unreachable', message: expect.stringContaining('scheme ftp:') };
  await expect(transport.request({ method: 'GET', path: '/' })).rejects.toMatchObject(failed);
});
