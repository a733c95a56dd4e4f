import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { AddressNotAllowed, checkedLookup, isAddressRefusal } from './checked-lookup.js';
import { isHostListed, isRefusedLiteral, type OutboundPolicy } from './outbound-policy.js';

const PUBLIC: OutboundPolicy = { addresses: ['public'], registryHosts: [], grpcHosts: [] };
const found = (address: string) => ({ address, family: address.includes(':') ? 6 : 4 });

/** A system that resolves every name to the same addresses, or to one as older callers ask for it. */
const system =
  (addresses: readonly string[]): LookupFunction =>
  (_, options, callback) => {
    expect(options.all).toBe(true);
    callback(null, addresses.map(found));
  };
const resolve = (addresses: readonly string[], all: boolean) =>
  new Promise((resolved, reject) => {
    checkedLookup(PUBLIC, system(addresses))('r.test', { all }, (error, address, family) => {
      if (error) reject(error);
      else resolved(all ? address : { address, family });
    });
  });

describe('checkedLookup', () => {
  it.each([
    { because: 'all that are public', addresses: ['1.1.1.1', '8.8.8.8'], allowed: ['1.1.1.1', '8.8.8.8'] },
    { because: 'no private ones', addresses: ['10.0.0.1', '1.1.1.1', '192.168.0.1'], allowed: ['1.1.1.1'] },
    { because: 'no loopback', addresses: ['127.0.0.1', '::1', '1.1.1.1'], allowed: ['1.1.1.1'] },
    { because: 'no address of the cloud itself', addresses: ['169.254.169.254', '1.1.1.1'], allowed: ['1.1.1.1'] },
    {
      because: 'no private one in the clothes of IPv6',
      addresses: ['::ffff:10.0.0.1', '1.1.1.1'],
      allowed: ['1.1.1.1'],
    },
  ])('gives $because', async ({ addresses, allowed }) => {
    expect(await resolve(addresses, true)).toEqual(allowed.map(found));
    expect(await resolve(addresses, false)).toEqual(found(allowed[0] ?? ''));
  });

  it.each([{ addresses: ['10.0.0.1', '127.0.0.1'] }, { addresses: [] }])(
    'fails where none is left: $addresses',
    async ({ addresses }) => {
      await expect(resolve(addresses, true)).rejects.toThrow(AddressNotAllowed);
      await expect(resolve(addresses, false)).rejects.toThrow('no address of r.test is allowed');
    },
  );

  it('gives the failure of the system', async () => {
    const fails: LookupFunction = (_, __, callback) =>
      callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
    const error = await new Promise((resolved) => checkedLookup(PUBLIC, fails)('r.test', {}, resolved));
    expect(error).toMatchObject({ code: 'ENOTFOUND' });
  });
});

describe('isAddressRefusal', () => {
  const refusal = new AddressNotAllowed('no address');
  it.each([
    { because: 'itself', error: refusal, is: true },
    {
      because: 'hidden twice, as fetch does',
      error: new Error('a', { cause: new Error('b', { cause: refusal }) }),
      is: true,
    },
    { because: 'another failure', error: new Error('a', { cause: new Error('refused') }), is: false },
    { because: 'no error', error: 'text', is: false },
  ])('$because', ({ error, is }) => {
    expect(isAddressRefusal(error)).toBe(is);
  });
});

describe('isRefusedLiteral', () => {
  it.each([
    { host: '10.0.0.1', refused: true },
    { host: '[::1]', refused: true },
    { host: '[fd00::1]', refused: true },
    { host: '1.1.1.1', refused: false },
    { host: 'localhost', refused: false },
    { host: 'r.test', refused: false },
  ])('$host: $refused', ({ host, refused }) => {
    expect(isRefusedLiteral(host, PUBLIC)).toBe(refused);
  });
});

describe('isHostListed', () => {
  it.each([
    { host: 'r.test', list: [], listed: true, because: 'an empty list has all' },
    { host: 'r.test', list: ['r.test'], listed: true, because: 'the name' },
    { host: 'R.test', list: ['r.TEST'], listed: true, because: 'whatever its case' },
    { host: 'r.test:5000', list: ['r.test'], listed: true, because: 'a name is for every port' },
    { host: 'r.test:5000', list: ['r.test:5000'], listed: true, because: 'name and port' },
    { host: 'r.test', list: ['r.test:5000'], listed: false, because: 'a port is for that port alone' },
    { host: 'r.test:443', list: ['r.test:5000'], listed: false, because: 'another port' },
    { host: 'a.r.test', list: ['r.test'], listed: false, because: 'a name is not for what is below it' },
    { host: 'a.b.r.test:5000', list: ['*.r.test'], listed: true, because: 'a star is for all below' },
    { host: 'r.test', list: ['*.r.test'], listed: false, because: 'and not for the domain itself' },
    { host: 'evilr.test', list: ['*.r.test'], listed: false, because: 'nor for names that end alike' },
  ])('$host in $list: $because', ({ host, list, listed }) => {
    expect(isHostListed(host, list)).toBe(listed);
  });
});
