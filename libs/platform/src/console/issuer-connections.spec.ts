import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../clock/manual-clock.js';
import type { SelectableKind } from '../outbound/address-kind.js';
import { IssuerConnections } from './issuer-connections.js';
import { TokenIssuer } from './proof/token-issuer.js';

const DEFAULT: readonly SelectableKind[] = ['public', 'private'];
const OUTSIDE = 'https://login.example';

let server: Server;
let port: number;
const seen: string[] = [];
/** Answers by path. */
let said: Readonly<Record<string, object | Readonly<{ location: string }>>> = {};
beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request.url ?? '');
    const answer = said[request.url ?? ''] ?? {};
    if ('location' in answer) return response.writeHead(307, { location: String(answer.location) }).end();
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
beforeEach(() => {
  seen.length = 0;
  said = {};
});
afterAll(() => server.close());

/** What a name resolves to, once after the other; the last one stays. */
const resolving = (...addresses: readonly string[]): LookupFunction => {
  let at = 0;
  return (_name, _options, callback) => {
    const address = addresses[Math.min(at, addresses.length - 1)] ?? '';
    at += 1;
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };
};

describe('an address that an issuer outside names', () => {
  const connections = new IssuerConnections({ issuer: OUTSIDE, addresses: DEFAULT });
  it.each([
    ['127.0.0.1', 'https://127.0.0.1:PORT/keys'],
    ['127.0.0.1 without TLS', 'http://127.0.0.1:PORT/keys'],
    ['127.0.0.1 as one number', 'http://2130706433:PORT/keys'],
    ['localhost', 'http://localhost:PORT/keys'],
    ['::1', 'https://[::1]:PORT/keys'],
    ['loopback in the form of IPv6', 'https://[::ffff:127.0.0.1]:PORT/keys'],
    ['the metadata service', 'https://169.254.169.254/latest/meta-data'],
    ['a link-local address', 'https://[fe80::1]/keys'],
    ['no address', 'https://0.0.0.0:PORT/keys'],
  ])('is not asked at %s', async (_, address) => {
    const asked = connections.fetch(address.replace('PORT', String(port)), {});
    await expect(asked).rejects.toThrow(/^address of \S+ is not allowed by the hub \(FLOTILLA_OUTBOUND_ADDRESSES\)$/);
    expect(seen).toEqual([]);
  });

  it.each(['127.0.0.1', '169.254.169.254', '::1', '::ffff:7f00:1'])(
    'is not asked by a name that leads to %s by now, nor is the issuer itself',
    async (inside) => {
      const rebound = new IssuerConnections({ issuer: OUTSIDE, addresses: DEFAULT, lookup: resolving(inside) });
      for (const host of ['keys.example', 'login.example'])
        await expect(rebound.fetch(`https://${host}:${port}/keys`, {})).rejects.toThrow(
          `address of ${host}:${port} is not allowed by the hub (FLOTILLA_OUTBOUND_ADDRESSES)`,
        );
      expect(seen).toEqual([]);
    },
  );

  it('is asked without TLS nowhere but on this machine', async () => {
    await expect(connections.fetch('http://login.example/keys', {})).rejects.toThrow('is not https');
    await expect(connections.fetch('file:///etc/passwd', {})).rejects.toThrow('is not https');
    await expect(connections.fetch('keys', {})).rejects.toThrow('is not a URL');
  });

  it('is not asked in a private network that the hub does not allow, and the issuer that the hub names is', async () => {
    const lookup = resolving('10.255.255.1');
    const connections = new IssuerConnections({ issuer: OUTSIDE, addresses: ['public'], lookup });
    await expect(connections.fetch('https://keys.example/', {})).rejects.toThrow('FLOTILLA_OUTBOUND_ADDRESSES');
    const late = AbortSignal.timeout(50);
    await expect(connections.fetch(`${OUTSIDE}/`, { signal: late })).rejects.not.toThrow('OUTBOUND');
  });
});

describe('an issuer on this machine', () => {
  const connections = () => new IssuerConnections({ issuer: `http://127.0.0.1:${port}`, addresses: DEFAULT });

  it('is asked, and what it names there, too', async () => {
    said = { '/keys': { keys: [] } };
    expect((await connections().fetch(`http://127.0.0.1:${port}/keys`, {})).status).toBe(200);
    expect((await connections().fetch(`http://localhost:${port}/keys`, {})).status).toBe(200);
    expect(seen).toEqual(['/keys', '/keys']);
  });

  it('leads nowhere else: no redirect is followed, no address of the cloud is asked', async () => {
    said = { '/keys': { location: `http://127.0.0.1:${port}/elsewhere` } };
    expect((await connections().fetch(`http://127.0.0.1:${port}/keys`, {})).status).toBe(307);
    expect(seen).toEqual(['/keys']);
    await expect(connections().fetch('http://169.254.169.254/keys', {})).rejects.toThrow('OUTBOUND');
  });
});

describe('the keys that applier and poller ask for', () => {
  const issuerWith = (lines: object[], addresses: readonly SelectableKind[], issuer = `http://127.0.0.1:${port}`) =>
    new TokenIssuer({
      issuer,
      ...{ clientId: 'flotilla', clock: new ManualClock(new Date()), addresses },
      log: { warn: (fields: object) => void lines.push(fields) } as never,
    });

  it.each([
    ['an address of the cloud', () => 'http://169.254.169.254/keys', /address of 169\.254\.169\.254 is not allowed/],
    ['another host without TLS', () => 'http://keys.example/keys', /is not https/],
    ['a redirect', () => `http://127.0.0.1:${port}/leads`, /answered 307/],
  ])('are not read where the issuer names %s', async (_, jwksUri, reason) => {
    const issuer = `http://127.0.0.1:${port}`;
    said = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: jwksUri() },
      '/leads': { location: `${issuer}/elsewhere` },
    };
    const lines: object[] = [];
    expect(await issuerWith(lines, DEFAULT).claimsOf('a.b.c')).toMatchObject({ reason: 'issuer-away' });
    expect(lines).toEqual([expect.objectContaining({ error: expect.stringMatching(reason) })]);
    expect(seen).not.toContain('/elsewhere');
  });
});
