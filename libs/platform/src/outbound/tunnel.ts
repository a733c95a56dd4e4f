import http from 'node:http';
import https from 'node:https';
import net, { type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkedLookup, isAddressRefusal, refuseTarget } from './checked-lookup.js';
import { addressRefusal, isRefusedLiteral, type OutboundPolicy } from './outbound-policy.js';
import { proxyLogin } from './proxy-login.js';
import { PROXY_SCHEMES } from './route.js';

/** A server behind a proxy. */
type TunnelTarget = Readonly<{
  host: string;
  port: number;
  signal: AbortSignal;
  /** The addresses that the proxy may have. Default: any. */
  proxyPolicy?: OutboundPolicy | undefined;
  /** The addresses that the server may have. Default: any. */
  serverPolicy?: OutboundPolicy | undefined;
  /** How names are resolved. Default: as the system does. */
  lookup?: LookupFunction | undefined;
}>;

/** A proxy that did not connect to the server. The message names both, and no login. */
class TunnelError extends Error {}

/**
 * Opens a raw connection to `host:port` through a proxy: HTTP CONNECT, or SOCKS5. The proxy resolves the
 * name of the server, except that a name with no allowed address here is refused first.
 *
 * @throws AddressNotAllowed if the policy refuses the server, TunnelError otherwise
 */
export async function openTunnel(proxy: URL, target: TunnelTarget): Promise<net.Socket> {
  const { proxyPolicy, serverPolicy, lookup } = target;
  if (proxyPolicy !== undefined && isRefusedLiteral(proxy.hostname, proxyPolicy)) throw refusedProxy(proxy);
  if (serverPolicy !== undefined) await refuseTarget(target.host, serverPolicy, lookup);
  try {
    return await open(proxy, target, proxyPolicy === undefined ? lookup : checkedLookup(proxyPolicy, lookup));
  } catch (error) {
    throw isAddressRefusal(error) ? refusedProxy(proxy) : error;
  }
}

/** Returns the same text for each address, so that it does not reveal anything about the server there. */
const refusedProxy = ({ hostname }: URL): TunnelError => new TunnelError(`proxy-url: ${addressRefusal(hostname)}`);

function open(proxy: URL, target: TunnelTarget, lookup: LookupFunction | undefined): Promise<net.Socket> {
  if (isSocks(proxy)) return openSocksTunnel(proxy, target, lookup);
  if (proxy.protocol === 'http:' || proxy.protocol === 'https:') return openHttpTunnel(proxy, target, lookup);
  throw new TunnelError(`a proxy with scheme ${proxy.protocol} is not known (${PROXY_SCHEMES.join(', ')})`);
}

/** True for a proxy of SOCKS5. */
export const isSocks = ({ protocol }: URL): boolean => protocol === 'socks5:' || protocol === 'socks5h:';

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
      reject(new TunnelError(`the proxy ${proxy.host} did not connect us to ${authority}: ${why}`));
    const client = proxy.protocol === 'https:' ? https : http;
    const request = client.request({
      method: 'CONNECT',
      host: bare(proxy.hostname),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      path: authority,
      headers,
      agent: false,
      signal,
      ...(lookup && { lookup }),
    });
    request.once('error', (error) => {
      if (isAddressRefusal(error)) reject(error);
      else fail(signal.aborted ? 'it does not answer' : textOf(error));
    });
    request.once('response', (response) => {
      response.resume();
      fail(`HTTP ${response.statusCode}`);
    });
    request.once('connect', (response, socket: Duplex, head: Buffer) => {
      if (response.statusCode === 200 && socket instanceof net.Socket) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.destroy();
      fail(`HTTP ${response.statusCode}`);
    });
    request.end();
  });
}

/** Opens SOCKS5 CONNECT (RFC 1928) by the package `socks`, with user and password if the URL has them. */
async function openSocksTunnel(
  proxy: URL,
  { host, port, signal }: TunnelTarget,
  lookup: LookupFunction | undefined,
): Promise<net.Socket> {
  const { SocksClient } = await import('socks');
  const at = { host: bare(proxy.hostname), port: Number(proxy.port || 1080) };
  const refuse = (why: string) =>
    new TunnelError(`the SOCKS proxy ${proxy.host} did not connect us to ${host}:${port}: ${why}`);
  const socket = net.connect({ ...at, ...(lookup && { lookup }) });
  const stop = () => socket.destroy(refuse('it does not answer'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    await connected(socket);
    const login = proxyLogin(proxy);
    const { socket: tunnel } = await SocksClient.createConnection({
      proxy: { ...at, type: 5, ...(login.user === '' ? {} : { userId: login.user, password: login.password }) },
      command: 'connect',
      destination: { host, port },
      existing_socket: socket,
      timeout: LONGEST_MS,
    });
    return tunnel;
  } catch (error) {
    socket.destroy();
    if (isAddressRefusal(error) || error instanceof TunnelError) throw error;
    throw refuse(signal.aborted ? 'it does not answer' : textOf(error));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The library's own limit. It does not count: the signal ends the attempt. */
const LONGEST_MS = 600_000;

function connected(socket: net.Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve();
    });
  });
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

function basic(proxy: URL): string {
  const { user, password } = proxyLogin(proxy);
  return Buffer.from(`${user}:${password}`).toString('base64');
}

function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(textOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
