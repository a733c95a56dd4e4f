import { isLoopback } from './loopback.js';

/** A name or address as `Host` headers have it, without its port. */
const bareHost = (host: string): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

const isAddress = (host: string): boolean => /^\[[0-9a-f:.]+\]$/.test(host) || /^\d+\.\d+\.\d+\.\d+$/.test(host);

/**
 * Whether a request is answered by its `Host` header. A service that listens on loopback alone counts on
 * that other machines do not reach it; a web page in a browser of this machine does, when the name that
 * it was loaded from is made to lead to loopback. Such a request has that name as its host, so only
 * addresses, `localhost` and the names that are set are answered. Elsewhere names are not known, and
 * authentication is on by default.
 */
export function isHostAnswered(host: string | undefined, bindAddress: string, names: readonly string[]): boolean {
  if (host === undefined || !isLoopback(bindAddress)) return true;
  const bare = bareHost(host);
  const isLocal = bare === 'localhost' || bare.endsWith('.localhost');
  return isLocal || isAddress(bare) || names.some((name) => bareHost(name) === bare);
}

/** What a request with another host is answered, with status 421. */
export const HOST_REFUSAL =
  'this service listens on its own machine alone, and the name in the Host header is not one of its own: use localhost, or add the name to FLOTILLA_HTTP_HOSTS';
