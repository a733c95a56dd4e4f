import { isIP, isIPv6 } from 'node:net';
import { ipv6Groups } from '#platform/outbound/address-kind';

/** `::ffff:a.b.c.d`: an IPv4 client of a socket that takes both. */
const isMapped = (groups: readonly number[]): boolean =>
  groups.slice(0, 5).every((one) => one === 0) && groups[5] === 0xffff;

/**
 * Names a client in limits: its IPv4 address, or the network of its IPv6 address (/64): one machine has all
 * addresses of that network.
 */
export function clientKey(address: string): string {
  const [bare = ''] = address.split('%');
  if (isIP(bare) === 0) return 'no address';
  if (!isIPv6(bare)) return bare;
  const groups = ipv6Groups(bare);
  const [high = 0, low = 0] = groups.slice(6);
  if (isMapped(groups)) return [high, low].flatMap((value) => [value >> 8, value & 0xff]).join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
