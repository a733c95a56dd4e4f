import { BlockList, isIP } from 'node:net';

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/** What is to be reached; `port` as it is dialled, the scheme's own where none was named. */
type ProxyTarget = Readonly<{ hostname: string; port: number }>;

/**
 * The proxy to reach `url` through: HTTPS_PROXY or HTTP_PROXY by its scheme, unless NO_PROXY names the
 * host; each in capitals before small letters. The rules are those of Go's httpproxy package, which all
 * tools around a cluster use.
 */
export function proxyFor(url: URL, environment: ProxyEnvironment): URL | undefined {
  const secure = url.protocol === 'https:';
  const target = { hostname: url.hostname, port: Number(url.port) || (secure ? 443 : 80) };
  return proxyFrom(secure ? 'HTTPS_PROXY' : 'HTTP_PROXY', target, environment);
}

/**
 * The proxy for a gRPC address: GRPC_PROXY alone, because most of them are not behind the proxy of the web
 * (spec: catalog-sources.md §2).
 */
export const grpcProxyFor = (target: ProxyTarget, environment: ProxyEnvironment): URL | undefined =>
  proxyFrom('GRPC_PROXY', target, environment);

function proxyFrom(name: string, target: ProxyTarget, environment: ProxyEnvironment): URL | undefined {
  const text = either(name, environment);
  if (text === '' || isExempt(target, either('NO_PROXY', environment))) return undefined;
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  return URL.canParse(written) ? new URL(written) : undefined;
}

const either = (name: string, environment: ProxyEnvironment) =>
  (environment[name] || environment[name.toLowerCase()] || '').trim();

/** Whether a host is reached directly: this machine always is, others where a part of NO_PROXY names them. */
function isExempt({ hostname, port }: ProxyTarget, noProxy: string): boolean {
  const host = hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (host === 'localhost' || contains('127.0.0.0/8', host) || host === '::1') return true;
  const parts = noProxy.split(',').map((part) => part.trim().toLowerCase());
  return parts.some((part) => part !== '' && matches(part, host, port));
}

function matches(part: string, host: string, port: number): boolean {
  if (part === '*') return true;
  if (part.includes('/')) return contains(part, host);
  const [, name = '', wantedPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(part) ?? [undefined, part];
  if (wantedPort !== undefined && Number(wantedPort) !== port) return false;
  const bare = name.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return bare === host;
  const suffix = bare.replace(/^\*/, '');
  return suffix.startsWith('.') ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

/** Whether an address lies in a range such as `10.0.0.0/16`; never for a name, which is not looked up. */
function contains(range: string, host: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const version = isIP(network);
  const longest = version === 4 ? 32 : 128;
  if (version === 0 || isIP(host) !== version || !/^\d{1,3}$/.test(bits) || Number(bits) > longest) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(host, family);
}
