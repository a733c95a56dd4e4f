import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import type { SessionStore, StoredSession } from '#platform/console/session-store.port';
import { openConsole, type RunningConsole } from '../console.fixture.js';
import { ISSUED_SECRET, TestIssuer } from './test-issuer.fixture.js';

const HOST = 'console.example.com';
const SESSION = '__Host-flotilla';

const stored = new Map<string, StoredSession>();
const sessions: SessionStore = {
  get: async (hash) => stored.get(hash),
  put: async (hash, session) => void stored.set(hash, session),
  remove: async (hash) => void stored.delete(hash),
};

let issuer: TestIssuer;
let run: RunningConsole;
let folder: string;
let clock: ManualClock;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'session-attacks-'));
  issuer = await TestIssuer.start();
  clock = new ManualClock();
  await writeFile(join(folder, 'secret'), ISSUED_SECRET, { mode: 0o600 });
  run = await openConsole(
    {
      FLOTILLA_CONSOLE_OIDC_ISSUER: issuer.url,
      FLOTILLA_CONSOLE_OIDC_CLIENT_ID: 'flotilla',
      FLOTILLA_CONSOLE_OIDC_CLIENT_SECRET_FILE: join(folder, 'secret'),
      FLOTILLA_CONSOLE_EXTERNAL_URL: `https://${HOST}`,
    },
    { clock, sessions },
  );
});
beforeEach(() => clock.advance(60_000));
afterAll(async () => {
  await run.service.stop();
  await issuer.stop();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

type Answer = Readonly<{ status: number; location: string; cookies: readonly string[]; text: string }>;
type Asked = Readonly<{ method?: string; cookie?: string; headers?: Readonly<Record<string, string>> }>;
const ask = (path: string, { method = 'GET', cookie = '', headers = {} }: Asked = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const url = new URL(path, `http://127.0.0.1:${run.port}`);
    request(url, { method, headers: { host: HOST, cookie, ...headers } }, (answer) => {
      let text = '';
      answer.on('data', (piece) => {
        text += String(piece);
      });
      const { location = '', 'set-cookie': cookies = [] } = answer.headers;
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, location, cookies, text }));
    })
      .once('error', reject)
      .end(method === 'POST' ? '{}' : undefined);
  });
const jar = (cookies: readonly string[]) => cookies.map((one) => one.split(';')[0]).join('; ');
const idIn = (cookies: readonly string[]) => new RegExp(`${SESSION}=([^;]+);`).exec(cookies.join('\n'))?.[1] ?? '';

/** `planted`: a cookie that was in the browser before. */
async function signIn(planted = ''): Promise<Readonly<{ begun: Answer; back: Answer }>> {
  const begun = await ask('/auth/login', { cookie: planted });
  const issued = await fetch(begun.location, { redirect: 'manual' });
  const { pathname, search } = new URL(issued.headers.get('location') ?? '');
  const cookie = [planted, jar(begun.cookies)].filter(Boolean).join('; ');
  return { begun, back: await ask(pathname + search, { cookie }) };
}
const meWith = async (id: string) => ask('/api/v1/me', { cookie: `${SESSION}=${id}` });

describe('a session', () => {
  it('never has an id that was in the browser before the sign-in', async () => {
    const chosen = 'A'.repeat(43);
    const { back } = await signIn(`${SESSION}=${chosen}`);
    const id = idIn(back.cookies);
    expect(id).toMatch(/^[\w-]{43}$/);
    expect(id).not.toBe(chosen);
    expect([(await meWith(chosen)).status, (await meWith(id)).status]).toEqual([401, 200]);
  });

  it('of another person that was planted ends, and does not become that of who signs in', async () => {
    const attacker = idIn((await signIn()).back.cookies);
    const victim = idIn((await signIn(`${SESSION}=${attacker}`)).back.cookies);
    expect(victim).not.toBe(attacker);
    expect([(await meWith(attacker)).status, (await meWith(victim)).status]).toEqual([401, 200]);
  });

  it('has cookies for this host alone, over TLS alone, out of reach of scripts and of other sites', async () => {
    const { begun, back } = await signIn();
    const out = await signOut(idIn(back.cookies));
    const all = [...begun.cookies, ...back.cookies, ...out.cookies];
    expect(all.length).toBe(4);
    for (const cookie of all) {
      const [named = '', ...attributes] = cookie.split('; ');
      expect(named).toMatch(/^__Host-flotilla(?:-sign-in)?=/);
      expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax']));
      // With a domain, subdomains would get it, and could set it.
      expect(attributes.join()).not.toMatch(/domain/i);
    }
    expect(out.cookies.join()).toContain('Max-Age=0');
  });

  it('sets no cookie on what needs none', async () => {
    for (const path of ['/', '/auth/ways', '/api/v1/me', '/api/v1/none'])
      expect([path, (await ask(path)).cookies]).toEqual([path, []]);
    const id = idIn((await signIn()).back.cookies);
    expect((await meWith(id)).cookies).toEqual([]);
  });

  it('is not taken from a cookie without the prefix, which other hosts could set', async () => {
    const id = idIn((await signIn()).back.cookies);
    for (const name of ['flotilla', '__Secure-flotilla', '__host-flotilla', 'x__Host-flotilla'])
      expect([name, (await ask('/api/v1/me', { cookie: `${name}=${id}` })).status]).toEqual([name, 401]);
  });
});

const csrfOf = async (id: string) => (JSON.parse((await meWith(id)).text) as { csrf: string }).csrf;
const signOut = async (id: string, csrf?: string) =>
  ask('/auth/logout', {
    method: 'POST',
    cookie: `${SESSION}=${id}`,
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      'x-csrf-token': csrf ?? (await csrfOf(id)),
    },
  });

describe('the token that writes send', () => {
  it('lies in no store, nor can it be made of what lies there', async () => {
    const id = idIn((await signIn()).back.cookies);
    const token = await csrfOf(id);
    expect(token).toMatch(/^[\w-]{43}$/);
    const kept = JSON.stringify([...stored]);
    for (const secret of [token, id]) expect(kept).not.toContain(secret);
    const digest = createHash('sha256').update(id).digest('hex');
    expect(kept).toContain(digest);
    for (const known of [digest, digest.slice(0, 32), '']) expect((await signOut(id, known)).status).toBe(403);
    expect((await signOut(id, token)).status).toBe(200);
  });

  it('is of one session alone, and stays while it lasts', async () => {
    const [first, second] = [idIn((await signIn()).back.cookies), idIn((await signIn()).back.cookies)];
    const token = await csrfOf(first);
    expect(await csrfOf(first)).toBe(token);
    expect((await signOut(second, token)).status).toBe(403);
    expect((await signOut(first, token)).status).toBe(200);
  });

  it('of a session of an earlier release is not the one that was kept', async () => {
    const id = idIn((await signIn()).back.cookies);
    for (const [hash, session] of stored) stored.set(hash, { ...session, csrf: 'kept' });
    expect((await signOut(id, 'kept')).status).toBe(403);
    expect((await signOut(id)).status).toBe(200);
  });
});
