import { isLoopback } from '#core/kernel/http-access/loopback';
import { isRefusedLiteral, type OutboundPolicy } from '../../outbound/outbound-policy.js';

/**
 * Allowed addresses of a server that a Secret names: all except metadata, link-local and similar addresses.
 */
export const SERVER_POLICY: OutboundPolicy = {
  addresses: ['public', 'private', 'loopback'],
  registryHosts: [],
  grpcHosts: [],
};

/** Returns the address of an API server as kubectl reads it, also `host:port`; undefined if it is none. */
export function serverUrl(server: string): URL | undefined {
  const url = URL.parse(/^[a-z]+:\/\//.test(server) ? server : `https://${server}`);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined;
}

/** Returns why the server of a kubeconfig in a Secret gets no login: undefined if it may get it. */
export function unsafeServer(server: string): string | undefined {
  const url = serverUrl(server);
  if (url === undefined) return undefined;
  if (isRefusedLiteral(url.hostname, SERVER_POLICY))
    return 'its server is a link-local or metadata address, or another address without clusters: set the address of the API server';
  const isHere = url.hostname === 'localhost' || isLoopback(url.hostname.replace(/^\[|\]$/g, ''));
  if (url.protocol === 'https:' || isHere) return undefined;
  return 'its server is without TLS (http), so the login could be read on the network: use https';
}
