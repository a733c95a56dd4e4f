import type { LookupFunction } from 'node:net';
import type * as Undici from 'undici';
import type { OutboundPolicy } from './outbound-policy.js';
import type { Route } from './route.js';
import { isSocks, openTunnel } from './tunnel.js';

type DispatcherOptions = Readonly<{
  route: Route;
  /** Certificates for the server. */
  tls?: Undici.buildConnector.BuildOptions;
  /** Certificates for a proxy that speaks TLS. */
  proxyTls?: Undici.buildConnector.BuildOptions;
  /** Resolves names that are dialled. Default: as the system does. */
  lookup?: LookupFunction | undefined;
  /** The addresses that a server behind SOCKS5 may have. */
  policy?: OutboundPolicy | undefined;
}>;

const CONNECTED_WITHIN_MS = 10_000;

/**
 * Makes the dispatcher that `fetch` of undici sends requests through: the only place that gives it a proxy.
 */
export async function dispatcherFor(options: DispatcherOptions): Promise<Undici.Dispatcher> {
  const { Agent, buildConnector, ProxyAgent } = await import('undici');
  const { route, tls = {}, proxyTls = {}, lookup } = options;
  const { proxy } = route;
  if (proxy === undefined) return new Agent({ connect: { ...tls, ...(lookup && { lookup }) } });
  if (!isSocks(proxy)) return new ProxyAgent({ uri: proxy.href, requestTls: tls, proxyTls });
  return new Agent({ connect: throughSocks(proxy, options, buildConnector(tls)) });
}

/** Connects through a proxy of SOCKS5, with TLS on top if the server speaks it. */
function throughSocks(
  proxy: URL,
  { policy, lookup }: DispatcherOptions,
  secure: Undici.buildConnector.connector,
): Undici.buildConnector.connector {
  return (asked, callback) => {
    const isSecure = asked.protocol === 'https:';
    const port = Number(asked.port) || (isSecure ? 443 : 80);
    const signal = AbortSignal.timeout(CONNECTED_WITHIN_MS);
    openTunnel(proxy, {
      host: asked.hostname.replace(/^\[|\]$/g, ''),
      port,
      signal,
      serverPolicy: policy,
      lookup,
    }).then(
      (socket) => (isSecure ? secure({ ...asked, httpSocket: socket }, callback) : callback(null, socket)),
      (error: Error) => callback(error, null),
    );
  };
}
