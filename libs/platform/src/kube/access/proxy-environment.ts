import { ClusterConfigError } from './cluster-config.error.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy to a server: the kubeconfig's, else HTTPS_PROXY or HTTP_PROXY unless NO_PROXY names
 * the host or it is loopback.
 */
export function proxyFor(server: URL, configured: string | undefined, environment: Environment): URL | undefined {
  if (configured !== undefined && configured !== '') return parse(configured);
  const read = (name: string) => environment[name] ?? environment[name.toLowerCase()];
  const fromEnvironment = read(server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (fromEnvironment === undefined || fromEnvironment === '') return undefined;
  return isExempt(server, read('NO_PROXY') ?? '') ? undefined : parse(fromEnvironment);
}

function isExempt(server: URL, list: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return true;
  return list
    .split(',')
    .map((entry) => entry.trim())
    .some((entry) => entry === '*' || entry === host || entry === server.host || isBelow(host, entry));
}

const isBelow = (host: string, entry: string): boolean => {
  const domain = entry.replace(/^\*?\./, '');
  return domain !== '' && host.endsWith(`.${domain}`);
};

function parse(text: string): URL {
  const url = URL.parse(/^[a-z0-9]+:\/\//i.test(text) ? text : `http://${text}`);
  // The text may hold a password, so it is not repeated.
  if (url === null) throw new ClusterConfigError(undefined, 'the proxy address (proxy-url or HTTPS_PROXY) is no URL');
  return url;
}
