import { isLoopback } from './loopback.js';

/** Returns a name or address as `Host` headers have it, without its port. */
const bareHost = (host: string): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

const isAddress = (host: string): boolean => /^\[[0-9a-f:.]+\]$/.test(host) || /^\d+\.\d+\.\d+\.\d+$/.test(host);

/**
 * True if a request with this `Host` header is answered. A service that listens on loopback alone relies on
 * other machines not reaching it. A web page in a browser of this machine can reach it, if its host name
 * resolves to loopback. Such a request has that name as its host, so only addresses, `localhost` and the
 * configured names are answered. On other addresses the names are not known, and authentication is on by
 * default.
 */
export function isHostAnswered(host: string | undefined, bindAddress: string, names: readonly string[]): boolean {
  if (host === undefined || !isLoopback(bindAddress)) return true;
  const bare = bareHost(host);
  const isLocal = bare === 'localhost' || bare.endsWith('.localhost');
  return isLocal || isAddress(bare) || names.some((name) => bareHost(name) === bare);
}

/** The answer to a request with another host, with status 421. */
export const HOST_REFUSAL =
  'this service listens on loopback only, and the Host header has another name: use localhost, or add the name to FLOTILLA_HTTP_HOSTS';
