import { isIP } from 'node:net';
import { addressKind, type SelectableKind } from './address-kind.js';

/**
 * The servers that may be reached because clusters name them: registries, targets of their redirects, token
 * servers, registry servers.
 */
export type OutboundPolicy = Readonly<{
  /** Kinds of addresses, checked when a connection is made, on the address that is dialled. */
  addresses: readonly SelectableKind[];
  /**
   * Registries, as in references, and registry servers; empty: all. `*.example.com`
   * stands for all hosts below.
   */
  registryHosts: readonly string[];
  grpcHosts: readonly string[];
}>;

export const isAddressAllowed = (address: string, { addresses }: OutboundPolicy): boolean => {
  const kind = addressKind(address);
  return kind !== 'special' && addresses.includes(kind);
};

/** True if a host that is written as an address is refused; a name is not resolved. */
export function isRefusedLiteral(hostname: string, policy: OutboundPolicy): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) !== 0 && !isAddressAllowed(bare, policy);
}

/** True if a list names a host, with its port or without. */
export function isHostListed(host: string, list: readonly string[]): boolean {
  if (list.length === 0) return true;
  const wanted = host.toLowerCase();
  const name = wanted.replace(/:\d+$/, '');
  return list.some((entry) => {
    const pattern = entry.toLowerCase();
    if (pattern.startsWith('*.')) return name.endsWith(pattern.slice(1));
    return pattern === wanted || pattern === name;
  });
}

/** Returns the same text for every reason, so that it does not reveal anything about the address. */
export const addressRefusal = (host: string): string =>
  `address of ${host} is not allowed by the hub (FLOTILLA_OUTBOUND_ADDRESSES)`;

export const hostRefusal = (host: string, setting: 'FLOTILLA_REGISTRY_HOSTS' | 'FLOTILLA_GRPC_HOSTS'): string =>
  `host ${host} is not allowed by the hub (${setting})`;
