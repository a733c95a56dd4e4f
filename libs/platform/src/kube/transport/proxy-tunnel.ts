import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { proxyLogin } from './proxy-login.js';
import { openSocksTunnel } from './socks-tunnel.js';
import { TransportError, textOf } from './transport.error.js';

/** A raw connection to `host:port` through a proxy: HTTP CONNECT, or SOCKS5. */
export function openTunnel(proxy: URL, host: string, port: number, signal: AbortSignal): Promise<net.Socket> {
  if (proxy.protocol === 'socks5:' || proxy.protocol === 'socks5h:') return openSocksTunnel(proxy, host, port, signal);
  if (proxy.protocol === 'http:' || proxy.protocol === 'https:') return openHttpTunnel(proxy, host, port, signal);
  throw new TransportError('unreachable', `proxy-url with scheme ${proxy.protocol} is not known (http, https, socks5)`);
}

function openHttpTunnel(proxy: URL, host: string, port: number, signal: AbortSignal): Promise<net.Socket> {
  const authority = `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;
  const headers: Record<string, string> = { host: authority };
  if (proxy.username !== '') headers['proxy-authorization'] = `Basic ${basic(proxy)}`;
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(new TransportError('unreachable', `the proxy ${proxy.host} did not connect us to ${authority}: ${why}`));
    const client = proxy.protocol === 'https:' ? https : http;
    const request = client.request({
      method: 'CONNECT',
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      path: authority,
      headers,
      agent: false,
      signal,
    });
    request.once('error', (error) => fail(textOf(error)));
    request.once('response', (response) => {
      response.resume();
      fail(`HTTP ${response.statusCode}`);
    });
    request.once('connect', (response, socket: Duplex) => {
      if (response.statusCode === 200 && socket instanceof net.Socket) return resolve(socket);
      socket.destroy();
      fail(`HTTP ${response.statusCode}`);
    });
    request.end();
  });
}

function basic(proxy: URL): string {
  const { user, password } = proxyLogin(proxy);
  return Buffer.from(`${user}:${password}`).toString('base64');
}
