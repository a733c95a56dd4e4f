import { describe, expect, it } from 'vitest';
import { addressKind } from './address-kind.js';
import { isHostListed, isRefusedLiteral } from './outbound-policy.js';

const kinds = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1'],
  'loopback behind a translator': ['64:ff9b::7f00:1', '64:ff9b:1::127.0.0.1', '2002:7f00:1::', '::ffff:0:127.0.0.1'],
  'special: link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1', '::ffff:169.254.169.254'],
  'special: metadata services': ['169.254.169.254', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254'],
  'special: behind a translator': ['64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1'],
  'special: unspecified': ['0.0.0.0', '0.1.2.3', '::', '::ffff:0.0.0.0'],
  'special: multicast': ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'special: broadcast and reserved': ['255.255.255.255', '240.0.0.1'],
  'special: Teredo and documentation': ['2001:0:1::1', '2001:db8::1', '192.0.2.1'],
  'special: no address': ['localhost', '', '127.1', '1.2.3.4.5'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', 'fd12::1', '::ffff:10.0.0.1'],
  'private behind a translator': ['64:ff9b::a00:1', '2002:a00:1::1'],
  public: [
    '8.8.8.8',
    '172.32.0.1',
    '172.15.0.1',
    '100.63.0.1',
    '2606:4700::1111',
    '64:ff9b::808:808',
    '2002:808:808::1',
  ],
};

describe('addressKind', () => {
  const rows = Object.entries(kinds).flatMap(([name, all]) => all.map((address) => ({ name, address })));
  it.each(rows)('$address: $name', ({ name, address }) => {
    expect(addressKind(address)).toBe(/^\w+/.exec(name)?.[0]);
  });
});

describe('isRefusedLiteral', () => {
  const policy = { addresses: ['public'], registryHosts: [], grpcHosts: [] } as const;
  it.each([
    { host: '[::1]', refused: true },
    { host: '10.1.2.3', refused: true },
    { host: '8.8.8.8', refused: false },
    { host: 'localhost', refused: false },
  ])('$host: $refused', ({ host, refused }) => {
    expect(isRefusedLiteral(host, policy)).toBe(refused);
  });
});

describe('isHostListed', () => {
  it.each([
    { host: 'any.example', list: [], listed: true },
    { host: 'quay.io', list: ['quay.io'], listed: true },
    { host: 'Quay.IO:443', list: ['quay.io'], listed: true },
    { host: 'quay.io', list: ['quay.io:5000'], listed: false },
    { host: 'quay.io:5000', list: ['quay.io:5000'], listed: true },
    { host: 'evil-quay.io', list: ['quay.io', '*.quay.io'], listed: false },
    { host: 'cdn.quay.io:443', list: ['*.quay.io'], listed: true },
    { host: 'quay.io.evil.example', list: ['quay.io', '*.quay.io'], listed: false },
  ])('$host in $list: $listed', ({ host, list, listed }) => {
    expect(isHostListed(host, list)).toBe(listed);
  });
});
