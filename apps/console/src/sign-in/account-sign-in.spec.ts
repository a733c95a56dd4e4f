import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import type { TrailEntry } from '#platform/console/audit-trail.port';
import type { SessionStore, StoredSession } from '#platform/console/session-store.port';
import { fillTwoClusters, openConsole, type RunningConsole } from '../console.fixture.js';
import { returnPath } from './account.js';
import { SealedTexts } from './sealed-text.js';
import { ISSUED_SECRET, TestIssuer } from './test-issuer.fixture.js';

const HOST = 'console.example.com';
const MINUTE = 60_000;

const stored = new Map<string, StoredSession>();
const sessions: SessionStore = {
  get: async (hash) => stored.get(hash),
  put: async (hash, session) => void stored.set(hash, session),
  remove: async (hash) => void stored.delete(hash),
};

const traced: TrailEntry[] = [];
const trail = { add: async (entry: TrailEntry) => void traced.unshift(entry), read: async () => traced };

let issuer: TestIssuer;
let run: RunningConsole;
let folder: string;
let clock: ManualClock;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accounts-'));
  issuer = await TestIssuer.start();
  clock = new ManualClock();
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const grantOf = (group: string, role: string) => `  - { groups: [${group}], role: ${role}, clusters: ["*"] }\n`;
  const policy = `grants:\n${grantOf('sre', 'operator')}${grantOf('board', 'admin')}`;
  run = await openConsole(
    {
      FLOTILLA_CONSOLE_OIDC_ISSUER: issuer.url,
      FLOTILLA_CONSOLE_OIDC_CLIENT_ID: 'flotilla',
      FLOTILLA_CONSOLE_OIDC_CLIENT_SECRET_FILE: await file('secret', `${ISSUED_SECRET}\n`),
      FLOTILLA_CONSOLE_EXTERNAL_URL: `https://${HOST}`,
      FLOTILLA_CONSOLE_POLICY_FILE: await file('policy.yaml', policy),
      FLOTILLA_CONSOLE_SESSION_KEY_FILE: await file('session-key', 'k'.repeat(40)),
      FLOTILLA_CONSOLE_AUDIT_FILE: join(folder, 'audit.jsonl'),
    },
    { sessions, trail, clock },
  );
  fillTwoClusters(run.view);
});
afterEach(() => {
  issuer.spoilt = {};
  issuer.isEnded = false;
  issuer.account = { sub: 'u1', email: 'jane@example.com', email_verified: true, groups: ['sre'] };
});
afterAll(async () => {
  await run.service.stop();
  await issuer.stop();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

type Answer = Readonly<{
  status: number;
  headers: Readonly<Record<string, unknown>>;
  text: string;
  cookies: readonly string[];
}>;
type Asked = Readonly<{ cookie?: string; method?: string; body?: string; headers?: Readonly<Record<string, string>> }>;

/** As a proxy with a certificate would pass it on: the host is the external one. */
const ask = (path: string, { cookie = '', method = 'GET', body, headers = {} }: Asked = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const url = new URL(path, `http://127.0.0.1:${run.port}`);
    const sent = request(url, { method, headers: { host: HOST, cookie, ...headers } }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += String(chunk);
      });
      const cookies = answer.headers['set-cookie'] ?? [];
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, cookies }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
const jar = (cookies: readonly string[]) => cookies.map((one) => one.split(';')[0]).join('; ');

/** To the issuer and back; what the console answers to the return. */
async function signIn(to = '/operators?q=x', before = ''): Promise<Answer> {
  const begun = await ask(`/auth/login?to=${encodeURIComponent(to)}`);
  expect(begun.status).toBe(302);
  const back = await fetch(String(begun.headers['location']), { redirect: 'manual' });
  const { pathname, search } = new URL(back.headers.get('location') ?? '');
  return ask(pathname + search, { cookie: [before, jar(begun.cookies)].filter(Boolean).join('; ') });
}
const sessionOf = ({ cookies }: Answer): string => jar(cookies.filter((one) => /^__Host-flotilla=./.test(one)));
const me = async (cookie: string) => ask('/api/v1/me', { cookie });

describe('sign-in with an account', () => {
  it('leads to the issuer with PKCE, state and nonce, and back to the page with a session', async () => {
    const begun = new URL(String((await ask('/auth/login?to=/')).headers['location']));
    expect(Object.fromEntries(begun.searchParams)).toMatchObject({
      ...{ response_type: 'code', client_id: 'flotilla', code_challenge_method: 'S256' },
      ...{ redirect_uri: `https://${HOST}/auth/callback`, state: expect.any(String) },
      ...{ nonce: expect.any(String), code_challenge: expect.any(String) },
    });
    const back = await signIn();
    expect([back.status, back.headers['location']]).toEqual([302, '/operators?q=x']);
    const cookie = back.cookies.find((one) => one.startsWith('__Host-flotilla=')) ?? '';
    for (const part of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax']) expect(cookie).toContain(part);
    expect(cookie).not.toContain('Domain');
    expect(JSON.parse((await me(sessionOf(back))).text)).toMatchObject({
      ...{ name: 'jane@example.com', groups: ['sre'], by: 'oidc', csrf: expect.stringMatching(/^.{40,}$/) },
      rights: ['operator of all clusters, all namespaces, all packages'],
    });
  });

  it('stores no id and no token that could be used', async () => {
    const id = sessionOf(await signIn()).split('=')[1] ?? '';
    const text = JSON.stringify([...stored]);
    expect(id).toMatch(/^[\w-]{43}$/);
    expect(text).not.toContain(id);
    expect(text).not.toContain('refresh-');
  });

  it('is another session each time, and ends the one before', async () => {
    const first = sessionOf(await signIn());
    const second = sessionOf(await signIn('/', first));
    expect(second).not.toBe(first);
    expect([(await me(first)).status, (await me(second)).status]).toEqual([401, 200]);
  });

  it.each([
    ['a token for another client', { aud: 'other' }, 'did not confirm'],
    ['a token of another issuer', { iss: 'https://evil.example.com' }, 'did not confirm'],
    ['a token of another sign-in', { nonce: 'other' }, 'did not confirm'],
    ['a token that has expired', { exp: 1 }, 'did not confirm'],
    ['an address that is not verified', { email_verified: false }, 'has not verified'],
    ['an address of which nothing is said', { email_verified: undefined }, 'email_verified is absent'],
    ['an address that is verified in words', { email_verified: 'true' }, 'email_verified is "true"'],
    ['no name', { email: undefined }, 'sends no claim email'],
    ['the name of the key', { email: 'local' }, '"local" is reserved'],
  ])('is refused with %s, and recorded', async (_, spoilt, says) => {
    issuer.spoilt = spoilt;
    const back = await signIn();
    expect([back.status, back.text]).toEqual([403, expect.stringContaining(says)]);
    expect(sessionOf(back)).toBe('');
    const audit = await readFile(join(folder, 'audit.jsonl'), 'utf8');
    expect(audit.trim().split('\n').at(-1)).toContain('sign-in-refused');
  });

  it('is on the page Changes with what was refused, for admins alone and without what could be used', async () => {
    traced.length = 0;
    // For more sign-ins from this address.
    await clock.advance(MINUTE);
    const operator = sessionOf(await signIn());
    await ask('/api/v1/hub', { cookie: operator });
    await ask('/auth/callback?code=secret-code&state=secret-state');
    issuer.account = { sub: 'u2', email: 'ann@example.com', email_verified: true, groups: ['board'] };
    const admin = sessionOf(await signIn());
    const changes = async (cookie: string, query = '') =>
      JSON.parse((await ask(`/api/v1/changes${query}`, { cookie })).text);
    expect(await changes(operator)).toMatchObject({ total: 0, items: [] });
    const { items } = await changes(admin, '?kind=sign-in,refusal');
    expect(items).toMatchObject([
      { kind: 'sign-in', by: 'ann@example.com', to: 'signed in', address: '127.0.0.1' },
      { kind: 'sign-in', by: '', to: 'refused', comment: expect.stringContaining('began elsewhere') },
      { kind: 'refusal', by: 'jane@example.com', to: 'hub', comment: expect.stringContaining('role admin') },
      { kind: 'sign-in', by: 'jane@example.com', to: 'signed in' },
    ]);
    expect((await changes(admin, '?by=jane@example.com')).total).toBe(2);
    const used = [operator, admin].map((cookie) => cookie.split('=')[1]);
    for (const secret of [...used, 'secret-code', 'secret-state', 'refresh-', ISSUED_SECRET])
      expect(JSON.stringify(traced)).not.toContain(secret);
  });

  it('is refused where it was begun in another browser, is old, or comes a second time', async () => {
    const begun = await ask('/auth/login?to=/');
    const back = await fetch(String(begun.headers['location']), { redirect: 'manual' });
    const { pathname, search } = new URL(back.headers.get('location') ?? '');
    expect((await ask(pathname + search)).status, 'without its cookie').toBe(403);
    const other = await ask('/auth/login?to=/');
    expect((await ask(pathname + search, { cookie: jar(other.cookies) })).status, 'of another sign-in').toBe(403);
    expect((await ask(pathname + search, { cookie: jar(begun.cookies) })).status).toBe(302);
    expect((await ask(pathname + search, { cookie: jar(begun.cookies) })).status, 'again').toBe(403);
    const late = await ask('/auth/login?to=/');
    await clock.advance(11 * MINUTE);
    expect((await ask('/auth/callback?code=x&state=y', { cookie: jar(late.cookies) })).text).toContain('too long ago');
  });

  it.each([
    '//evil.example.com',
    '/\\evil.example.com',
    'https://evil.example.com',
    '/api/v1/me',
    '/auth/login',
    '/a\nb',
    7,
  ])('leads to no other address: %s', (to) => expect(returnPath(to)).toBe('/'));
});

describe('a session', () => {
  it('ends with sign-out, which another site cannot cause', async () => {
    const cookie = sessionOf(await signIn());
    const { csrf } = JSON.parse((await me(cookie)).text) as { csrf: string };
    const out = (headers: Readonly<Record<string, string>>) =>
      ask('/auth/logout', {
        cookie,
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', ...headers },
      });
    expect((await out({ 'sec-fetch-site': 'cross-site', 'x-csrf-token': csrf })).status).toBe(403);
    expect((await out({ 'sec-fetch-site': 'same-origin' })).status).toBe(403);
    expect((await out({ origin: 'https://evil.example.com', 'x-csrf-token': csrf })).status).toBe(403);
    expect((await me(cookie)).status).toBe(200);
    expect((await out({ origin: `https://${HOST}`, 'x-csrf-token': csrf })).status).toBe(200);
    expect((await me(cookie)).status).toBe(401);
  });

  it('ends after an hour without use, and after twelve hours in all', async () => {
    issuer.refreshes = 0;
    const idle = sessionOf(await signIn());
    await clock.advance(61 * MINUTE);
    expect((await me(idle)).status).toBe(401);
    const used = sessionOf(await signIn());
    for (let at = 0; at < 14; at += 1) {
      await clock.advance(50 * MINUTE);
      expect([at, (await me(used)).status]).toEqual([at, 200]);
    }
    await clock.advance(50 * MINUTE);
    expect((await me(used)).status).toBe(401);
  });

  it('follows the groups of the issuer, and ends where the issuer ends it', async () => {
    const cookie = sessionOf(await signIn());
    issuer.account = { ...issuer.account, groups: ['sales'] };
    await clock.advance(16 * MINUTE);
    expect(JSON.parse((await me(cookie)).text)).toMatchObject({ groups: ['sales'], rights: [] });
    expect(JSON.parse((await ask('/api/v1/operators', { cookie })).text)).toMatchObject({ total: 0 });
    issuer.isEnded = true;
    await clock.advance(16 * MINUTE);
    expect((await me(cookie)).status).toBe(401);
  });
});

describe('texts that the console seals', () => {
  it('are read with the same key, for the same purpose, and unchanged', async () => {
    const [one, other] = [await SealedTexts.open(join(folder, 'session-key')), await SealedTexts.open('')];
    const sealed = await one.seal('text', 'a');
    expect(await one.read(sealed, 'a')).toBe('text');
    const parts = sealed.split('.');
    const changed = parts.map((part, at) => {
      const other = `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`;
      return parts.with(at, other).join('.');
    });
    for (const wrong of [...changed, '', 'a', 'A'.repeat(80)]) expect(await one.read(wrong, 'a')).toBeUndefined();
    expect([await one.read(sealed, 'b'), await other.read(sealed, 'a')]).toEqual([undefined, undefined]);
  });

  it('are not read where the sealed text asks for another cipher', async () => {
    const file = join(folder, 'session-key');
    const key = createHash('sha256')
      .update((await readFile(file, 'utf8')).trim())
      .digest();
    const { CompactEncrypt } = await import('jose');
    const half = await new CompactEncrypt(Buffer.from('text'))
      .setProtectedHeader({ alg: 'dir', enc: 'A128CBC-HS256', typ: 'a' })
      .encrypt(key);
    expect(await (await SealedTexts.open(file)).read(half, 'a')).toBeUndefined();
  });
});

describe('an issuer that cannot be used', () => {
  const of = (environment: Readonly<Record<string, string>>) =>
    openConsole({ FLOTILLA_CONSOLE_OIDC_ISSUER: 'https://issuer.example.com', ...environment }, { sessions });
  it.each([
    [{ FLOTILLA_CONSOLE_OIDC_CLIENT_ID: 'x' }, 'needs FLOTILLA_CONSOLE_EXTERNAL_URL with https'],
    [{ FLOTILLA_CONSOLE_EXTERNAL_URL: `https://${HOST}` }, 'CLIENT_ID is not set'],
    [
      {
        ...{ FLOTILLA_CONSOLE_EXTERNAL_URL: `https://${HOST}`, FLOTILLA_CONSOLE_OIDC_CLIENT_ID: 'x' },
        FLOTILLA_CONSOLE_OIDC_ISSUER: 'http://issuer.example.com',
      },
      'is not https',
    ],
  ])('keeps the console from its start: %j', async (environment, says) => {
    await expect(of(environment)).rejects.toThrow(says);
  });
});
