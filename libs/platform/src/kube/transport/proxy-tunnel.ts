import http from 'node:http';
import https from 'node:https';
import net, { type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkedLookup, isAddressRefusal } from '../../outbound/checked-lookup.js';
import { addressRefusal, isRefusedLiteral, type OutboundPolicy } from '../../outbound/outbound-policy.js';
import { proxyLogin } from './proxy-login.js';
import { openSocksTunnel } from './socks-tunnel.js';
import { TransportError, textOf } from './transport.error.js';

/** Target of a tunnel. `policy`: the addresses at which the proxy itself may be. */
type TunnelTarget = Readonly<{
  host: string;
  port: number;
  signal: AbortSignal;
  policy?: OutboundPolicy | undefined;
}>;

/** A raw connection to `host:port` through a proxy: HTTP CONNECT, or SOCKS5. */
export async function openTunnel(proxy: URL, target: TunnelTarget): Promise<net.Socket> {
  const { policy } = target;
  if (policy !== undefined && isRefusedLiteral(proxy.hostname, policy)) throw refusedProxy(proxy);
  const lookup = policy && checkedLookup(policy);
  try {
    return await open(proxy, target, lookup);
  } catch (error) {
    throw isAddressRefusal(error) ? refusedProxy(proxy) : error;
  }
}

/** The same for each address, so that it says nothing about what is there. */
const refusedProxy = ({ hostname }: URL): TransportError =>
  new TransportError('unreachable', `proxy-url: ${addressRefusal(hostname)}`);

function open(proxy: URL, target: TunnelTarget, lookup: LookupFunction | undefined): Promise<net.Socket> {
  if (proxy.protocol === 'socks5:' || proxy.protocol === 'socks5h:') return openSocksTunnel(proxy, target, lookup);
  if (proxy.protocol === 'http:' || proxy.protocol === 'https:') return openHttpTunnel(proxy, target, lookup);
  throw new TransportError('unreachable', `proxy-url with scheme ${proxy.protocol} is not known (http, https, socks5)`);
}

function openHttpTunnel(
  proxy: URL,
  { host, port, signal }: TunnelTarget,
  lookup: LookupFunction | undefined,
): Promise<net.Socket> {
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
      ...(lookup && { lookup }),
    });
    request.once('error', (error) => (isAddressRefusal(error) ? reject(error) : fail(textOf(error))));
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
