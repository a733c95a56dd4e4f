import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/** The way to a server, and the reason for it. The message about a failed connection has the reason. */
export type Route = Readonly<{
  /** Absent: the server is dialled directly. */
  proxy?: URL;
  reason: string;
  /** True if a setting decided: the server is not this machine itself. */
  isChosen: boolean;
}>;

/** A server to reach; `port` as it is dialled. */
type RouteTarget = Readonly<{ hostname: string; port: number }>;

/**
 * Returns the way to `url`: through HTTPS_PROXY or HTTP_PROXY by its scheme, unless NO_PROXY exempts its
 * host. The rules are those of Go's httpproxy package, used by kubectl and all tools around a cluster. Names
 * in capitals come before small letters, and an empty value does not hide the other name.
 */
export function routeTo(url: URL, environment: ProxyEnvironment): Route {
  const isSecure = url.protocol === 'https:';
  const target = { hostname: url.hostname, port: Number(url.port) || (isSecure ? 443 : 80) };
  return routeBy(isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY', target, environment);
}

/**
 * Returns the way to a gRPC address: GRPC_PROXY alone names its proxy (spec: catalog-sources.md §2). Most
 * of these addresses are not behind the proxy of the web.
 */
export const grpcRouteTo = (target: RouteTarget, environment: ProxyEnvironment): Route =>
  routeBy('GRPC_PROXY', target, environment);

/**
 * Returns the way through a proxy that `named` names, such as `proxy-url` of a kubeconfig: nothing is
 * exempt.
 */
export const routeThrough = (proxy: URL, named: string): Route => ({ proxy, reason: named, isChosen: true });

/** Schemes of proxies. With `socks5h` the proxy resolves names, as it does with `socks5`, too. */
export const PROXY_SCHEMES: readonly string[] = ['http', 'https', 'socks5', 'socks5h'];

/** Reads the address of a proxy, also one without a scheme: undefined if it is none. */
export function proxyAddress(text: string): URL | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  return url === null || url.hostname === '' ? undefined : url;
}

/** Describes a route for the message about a connection that failed: undefined for this machine itself. */
export function routeText({ proxy, reason, isChosen }: Route): string | undefined {
  if (!isChosen) return undefined;
  return proxy === undefined ? `directly: ${reason}` : `through the proxy ${proxy.host}: ${reason}`;
}

function routeBy(name: string, target: RouteTarget, environment: ProxyEnvironment): Route {
  const host = bareHost(target.hostname);
  if (isThisMachine(host)) return { reason: 'it is this machine', isChosen: false };
  const found = either(name, environment);
  if (found === undefined) return { reason: `${name} is not set`, isChosen: true };
  const exempt = either('NO_PROXY', environment);
  const entry = exempt?.value.split(',').find((part) => isExempt(part, host, target.port));
  if (entry !== undefined) return { reason: `${exempt?.name} has ${entry.trim()}`, isChosen: true };
  const proxy = proxyAddress(found.value);
  // The value may have a password, so that it is not repeated.
  if (proxy === undefined) return { reason: `${found.name} is not a URL`, isChosen: true };
  const missing = exempt === undefined ? 'NO_PROXY is not set' : `${exempt.name} does not have ${host}`;
  return { proxy, reason: `${found.name} is set, and ${missing}`, isChosen: true };
}

function either(name: string, environment: ProxyEnvironment): Readonly<{ name: string; value: string }> | undefined {
  for (const one of [name, name.toLowerCase()]) {
    const value = environment[one]?.trim() ?? '';
    if (value !== '') return { name: one, value };
  }
  return undefined;
}

/** Returns the host as NO_PROXY has it. A dot at its end means nothing here, otherwise than in Go. */
const bareHost = (hostname: string): string =>
  hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

const isThisMachine = (host: string): boolean =>
  host === 'localhost' || contains('127.0.0.0/8', host) || isSameAddress(host, '::1');

/** True if a part of NO_PROXY has the host. */
function isExempt(part: string, host: string, port: number): boolean {
  const entry = part.trim().toLowerCase();
  if (entry === '*') return true;
  // An address with a zone, such as fe80::1%eth0, is none for Go.
  if (entry.includes('%')) return false;
  if (contains(entry, host)) return true;
  const [name, wantedPort] = splitPort(entry);
  if (name === '' || (wantedPort !== '' && wantedPort !== String(port))) return false;
  if (isIP(name) !== 0) return isSameAddress(host, name);
  const domain = asciiName(name.replace(/^\*\./, '.'));
  if (domain === '' || domain === '.') return false;
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

/** Splits as Go's net.SplitHostPort: an address without a port stays whole, also one of IPv6. */
function splitPort(entry: string): readonly [name: string, port: string] {
  const bracketed = /^\[([^[\]]*)\]:([^:[\]]*)$/.exec(entry);
  if (bracketed !== null) return [bracketed[1] ?? '', bracketed[2] ?? ''];
  const plain = /^([^:[\]]*):([^:[\]]*)$/.exec(entry);
  return plain === null ? [entry, ''] : [plain[1] ?? '', plain[2] ?? ''];
}

/** Writes a name of other letters as URLs have it. */
function asciiName(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name;
  const dot = name.startsWith('.') ? '.' : '';
  const ascii = domainToASCII(name.slice(dot.length));
  return ascii === '' ? name : `${dot}${ascii}`;
}

/**
 * True if an address lies in a range such as `10.0.0.0/16`. Never true for a name: names are not resolved.
 */
function contains(range: string, host: string): boolean {
  const [network = '', bits = '', ...more] = range.split('/');
  const version = isIP(network);
  if (version === 0 || more.length > 0 || !/^\d{1,9}$/.test(bits)) return false;
  if (Number(bits) > (version === 4 ? 32 : 128)) return false;
  // An address of IPv4 lies in no range of IPv6 but in those that are written for it.
  if (version === 6 && Number(bits) < 96 && isIPv4Address(host)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), version === 4 ? 'ipv4' : 'ipv6');
  return check(list, host);
}

function isSameAddress(host: string, address: string): boolean {
  const list = new BlockList();
  list.addAddress(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return check(list, host);
}

const isIPv4Address = (host: string): boolean => isIP(host) === 4 || contains('::ffff:0:0/96', host);

const check = (list: BlockList, host: string): boolean => {
  const version = isIP(host);
  return version !== 0 && list.check(host, version === 4 ? 'ipv4' : 'ipv6');
};
