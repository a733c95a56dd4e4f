import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { IssuerConnections } from '#platform/console/issuer-connections';
import { Issuer, type IssuerAnswer } from './issuer.js';
import { issuerFetch } from './issuer-fetch.js';
import { ISSUED_SECRET, TestIssuer } from './test-issuer.fixture.js';

const BACK = 'https://console.example.com/auth/callback';
const NOW = () => Math.floor(Date.now() / 1_000);
const DISCOVERY = '/.well-known/openid-configuration';

let folder: string;
let secretFile: string;
let hostile: TestIssuer;
/** Of a console that has just started: nothing of the issuer is kept. */
let issuer: Issuer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-issuer-'));
  secretFile = join(folder, 'secret');
  await writeFile(secretFile, ISSUED_SECRET);
  hostile = await TestIssuer.start();
});
beforeEach(() => {
  const addresses = ['public', 'private'] as const;
  const asked = { issuer: hostile.url, clientId: 'flotilla', clientSecretFile: secretFile };
  const settings = { ...asked, scopes: 'openid', addresses };
  issuer = new Issuer(settings, () => BACK);
});
afterEach(() => {
  vi.useRealTimers();
  Object.assign(hostile, { spoilt: {}, spoiltSignature: {}, spoiltMetadata: {}, replies: {}, userInfo: undefined });
  hostile.signingKey = undefined;
});
afterAll(async () => {
  await hostile.stop();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

async function signIn(): Promise<IssuerAnswer> {
  const proof = await issuer.newProof();
  const back = await fetch(await issuer.signInUrl(proof), { redirect: 'manual' });
  return issuer.finish(new URL(back.headers.get('location') ?? '').search.slice(1), proof);
}

describe('a token of a hostile issuer', () => {
  it('is taken where it is as it should be', async () => {
    expect((await signIn()).claims).toMatchObject({ sub: 'u1', email: 'jane@example.com' });
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example.com' }],
    ['an issuer that begins alike', () => ({ iss: `${hostile.url}.evil.example.com` })],
    ['no issuer', { iss: undefined }],
    ['another client', { aud: 'other' }],
    ['clients without this one', { aud: ['other', 'flotilla2'] }],
    ['several clients, made for another one', { aud: ['flotilla', 'other'], azp: 'other' }],
    ['several clients, and for whom it was made is not said', { aud: ['flotilla', 'other'] }],
    ['no client', { aud: undefined }],
    ['another sign-in', { nonce: 'other' }],
    ['no sign-in', { nonce: undefined }],
    ['nobody', { sub: undefined }],
  ])('is refused where it is for %s', async (_, spoilt) => {
    hostile.spoilt = typeof spoilt === 'function' ? spoilt() : spoilt;
    await expect(signIn()).rejects.toThrow();
  });

  it.each([
    ['has ended', () => ({ exp: NOW() - 120 })],
    ['never ends', () => ({ exp: undefined })],
    ['ends at a text', () => ({ exp: String(NOW() + 300) })],
    ['is not yet valid', () => ({ nbf: NOW() + 3_600 })],
    ['was issued in the future', () => ({ iat: NOW() + 3_600 })],
    ['was issued at no time', () => ({ iat: undefined })],
    ['was issued at a text', () => ({ iat: 'now' })],
  ])('is refused where it %s', async (_, spoilt) => {
    hostile.spoilt = spoilt();
    await expect(signIn()).rejects.toThrow();
  });

  it.each([
    ['without a signature', { alg: 'none', key: 'none' }],
    ['without a signature, as RS256', { key: 'none' }],
    ['with the public key as a secret', { alg: 'HS256', key: 'public as secret' }],
    ['with an algorithm that nobody knows', { alg: 'XX512' }],
    ['with an algorithm of another kind of key', { alg: 'ES256' }],
    ['with a key that is not published', { key: 'other' }],
    ['with a key under another name', { kid: 'elsewhere', key: 'other' }],
  ] as const)('is refused %s', async (_, spoiltSignature) => {
    hostile.spoiltSignature = spoiltSignature;
    await expect(signIn()).rejects.toThrow();
    // Nor where the metadata allow it.
    if ('alg' in spoiltSignature) {
      hostile.spoiltMetadata = { id_token_signing_alg_values_supported: [spoiltSignature.alg] };
      await expect(signIn()).rejects.toThrow();
    }
  });
});

describe('keys that an issuer changes', () => {
  const SECOND = 1_000;

  it('are fetched by their new name, and an old one counts no more', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await signIn();
    const stolen = hostile.privateKey;
    hostile.rotate('k2');
    vi.setSystemTime(Date.now() + 61 * SECOND);
    expect((await signIn()).claims).toMatchObject({ sub: 'u1' });
    hostile.signingKey = stolen;
    hostile.spoiltSignature = { kid: 'k' };
    await expect(signIn()).rejects.toThrow();
    hostile.spoiltSignature = { kid: 'k2' };
    await expect(signIn()).rejects.toThrow();
  });

  it('that were stolen and taken back count no more after five minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await signIn();
    hostile.signingKey = hostile.privateKey;
    hostile.spoiltSignature = { kid: 'k' };
    hostile.rotate('k3');
    vi.setSystemTime(Date.now() + 301 * SECOND);
    await expect(signIn()).rejects.toThrow();
  });
});

/** Sends until the client closes the connection. */
const endless = (counted: { bytes: number; isOver: boolean }) => (response: ServerResponse) => {
  const piece = Buffer.alloc(65_536, ' ');
  response.writeHead(200, { 'content-type': 'application/json' });
  response.once('close', () => {
    counted.isOver = true;
  });
  const send = () => {
    if (counted.isOver || counted.bytes > 64 * 1_048_576) return response.end();
    counted.bytes += piece.length;
    if (response.write(piece)) setImmediate(send);
    else response.once('drain', send);
    return undefined;
  };
  send();
};

describe('an answer of a hostile issuer', () => {
  it.each([DISCOVERY, '/keys', '/token', '/userinfo'])(
    '%s without an end is given up after a mebibyte',
    async (path) => {
      const counted = { bytes: 0, isOver: false };
      if (path === '/userinfo') hostile.userInfo = { sub: 'u1' };
      hostile.replies = { [path]: endless(counted) };
      await expect(signIn()).rejects.toThrow();
      await expect.poll(() => counted.isOver).toBe(true);
      // What lies in buffers of the system is sent, too.
      expect(counted.bytes).toBeLessThan(16 * 1_048_576);
    },
  );

  it.each([DISCOVERY, '/keys', '/token', '/userinfo'])('%s that leads elsewhere is not followed', async (path) => {
    const elsewhere = await TestIssuer.start();
    try {
      const asked = vi.fn((response: ServerResponse) => void response.end('{}'));
      elsewhere.replies = { [path]: asked };
      if (path === '/userinfo') hostile.userInfo = { sub: 'u1' };
      const leads = (response: ServerResponse) =>
        response.writeHead(307, { location: `${elsewhere.url}${path}` }).end('{}');
      hostile.replies = { [path]: leads };
      await expect(signIn()).rejects.toThrow();
      expect(asked).not.toHaveBeenCalled();
    } finally {
      await elsewhere.stop();
    }
  });

  it('that stops in the middle is left when its time is over', async () => {
    hostile.replies = { [DISCOVERY]: (response) => void response.writeHead(200).write('{') };
    const signal = AbortSignal.timeout(50);
    const connections = new IssuerConnections({ issuer: hostile.url, addresses: [] });
    await expect(issuerFetch(connections, `${hostile.url}${DISCOVERY}`, { signal })).rejects.toThrow('timeout');
  });

  it.each([
    ['of another issuer', { issuer: 'https://evil.example.com' }],
    ['without a way to ask for tokens', { token_endpoint: undefined }],
    ['without keys', { jwks_uri: undefined }],
    ['with keys in a file of this machine', { jwks_uri: 'file:///etc/passwd' }],
    ['with keys at an address of the cloud', { jwks_uri: 'http://169.254.169.254/keys' }],
    ['with keys elsewhere without TLS', { jwks_uri: 'http://keys.example/keys' }],
    ['with tokens elsewhere without TLS', { token_endpoint: 'http://tokens.example/token' }],
    ['with a page of the cloud', { authorization_endpoint: 'http://169.254.169.254/authorize' }],
    ['with a page elsewhere without TLS', { authorization_endpoint: 'http://login.example/authorize' }],
    ['with a page that is a script', { authorization_endpoint: 'javascript:alert(1)' }],
  ])('with metadata %s is of no use', async (_, spoilt) => {
    hostile.spoiltMetadata = spoilt;
    await expect(signIn()).rejects.toThrow();
  });

  it('about another person is not mixed with the token', async () => {
    hostile.userInfo = { sub: 'u2', groups: ['board'] };
    await expect(signIn()).rejects.toThrow();
  });

  it('does not verify the address of the token with that of userinfo', async () => {
    hostile.spoilt = { email: 'root@example.com', email_verified: undefined };
    hostile.userInfo = { sub: 'u1', email: 'me@example.com', email_verified: true };
    expect((await signIn()).claims).toMatchObject({ email: 'root@example.com', email_verified: undefined });
  });
});
