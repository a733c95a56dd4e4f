import { BlockList, isIP, isIPv6 } from 'node:net';

/** Kinds of addresses that a setting may allow. */
export const SELECTABLE_KINDS = ['public', 'private', 'loopback'] as const;
export type SelectableKind = (typeof SELECTABLE_KINDS)[number];
/**
 * `special`: link-local, metadata services, unspecified, multicast, broadcast, reserved, and texts that are
 * no address.
 */
type AddressKind = SelectableKind | 'special';

type Table = readonly (readonly [kind: AddressKind, ranges: readonly string[]])[];

/** The first row that contains an address counts; in none, it is public. */
const TABLE: Table = [
  ['loopback', ['127.0.0.0/8', '::1/128']],
  // Metadata services of clouds outside link-local: Alibaba, Oracle, Azure, and that of AWS over IPv6.
  ['special', ['100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32', 'fd00:ec2::254/128']],
  ['special', ['169.254.0.0/16', 'fe80::/10']],
  ['special', ['0.0.0.0/8', '::/128']],
  ['special', ['224.0.0.0/4', 'ff00::/8']],
  // Broadcast lies in the reserved range; then protocol assignments, documentation, discard and Teredo.
  ['special', ['240.0.0.0/4', '192.0.0.0/24', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24']],
  ['special', ['100::/64', '2001::/32', '2001:db8::/32']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15']],
  ['private', ['fc00::/7', 'fec0::/10']],
];

/** Prefixes of IPv6 addresses that lead to an IPv4 address, and the index of the group that begins it. */
const EMBEDDED: readonly (readonly [prefix: string, group: number])[] = [
  ['::ffff:0:0/96', 6],
  ['::ffff:0:0:0/96', 6],
  ['::/96', 6],
  ['64:ff9b::/96', 6],
  ['64:ff9b:1::/48', 6],
  ['2002::/16', 1],
];

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** True if an address lies in a range of its own family. */
function contains(list: BlockList, address: string): boolean {
  return list.check(address, family(address));
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits = ''] = range.split('/');
    list.addSubnet(network, Number(bits), family(network));
  }
  return list;
}

const ROWS = TABLE.map(([kind, ranges]) => ({ kind, list: listOf(ranges) }));
const EMBEDDINGS = EMBEDDED.map(([prefix, group]) => ({ list: listOf([prefix]), group }));

/**
 * Returns the kind of an address in the notation of IPv4 or IPv6. An address that embeds an IPv4 address has
 * the kind of that one.
 */
export function addressKind(address: string): AddressKind {
  const [bare = ''] = address.split('%');
  if (isIP(bare) === 0) return 'special';
  const row = ROWS.find(({ list }) => contains(list, bare));
  if (row !== undefined) return row.kind;
  const embedding = isIPv6(bare) ? EMBEDDINGS.find(({ list }) => contains(list, bare)) : undefined;
  return embedding === undefined ? 'public' : addressKind(embedded(bare, embedding.group));
}

function embedded(address: string, group: number): string {
  const groups = ipv6Groups(address);
  return [groups[group] ?? 0, groups[group + 1] ?? 0].flatMap((value) => [value >> 8, value & 0xff]).join('.');
}

/** The eight groups of an IPv6 address; the URL parser writes each notation of it in one form. */
export function ipv6Groups(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16)));
  const before = numbers(head);
  const after = numbers(tail ?? '');
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
