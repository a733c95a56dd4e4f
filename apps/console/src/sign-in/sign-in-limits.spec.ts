import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { readSettings } from '#platform/config/settings';
import { MemorySessionStore } from '#platform/console/memory-session-store';
import { openConsole, type RunningConsole } from '../console.fixture.js';
import { ISSUED_SECRET, TestIssuer } from './test-issuer.fixture.js';

const HOST = 'console.example.com';
const [STRANGER, OTHER] = ['198.51.100.1', '203.0.113.9'];

let issuer: TestIssuer;
let folder: string;
let run: RunningConsole | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limits-'));
  issuer = await TestIssuer.start();
  await writeFile(join(folder, 'secret'), ISSUED_SECRET, { mode: 0o600 });
});
afterEach(() => run?.service.stop());
afterAll(async () => {
  await issuer.stop();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

const audit = () => join(folder, 'audit.jsonl');
async function open(proxies: string): Promise<void> {
  const clock = new ManualClock();
  run = await openConsole(
    {
      FLOTILLA_CONSOLE_OIDC_ISSUER: issuer.url,
      FLOTILLA_CONSOLE_OIDC_CLIENT_ID: 'flotilla',
      FLOTILLA_CONSOLE_OIDC_CLIENT_SECRET_FILE: join(folder, 'secret'),
      FLOTILLA_CONSOLE_EXTERNAL_URL: `https://${HOST}`,
      FLOTILLA_CONSOLE_AUDIT_FILE: audit(),
      FLOTILLA_CONSOLE_TRUSTED_PROXIES: proxies,
    },
    { clock, sessions: new MemorySessionStore(clock) },
  );
}

type Answer = Readonly<{ status: number; location: string; cookie: string }>;
/** Through a proxy on this machine, which passes this on. */
const ask = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    request(new URL(path, `http://127.0.0.1:${run?.port}`), { headers: { host: HOST, ...headers } }, (answer) => {
      answer.resume();
      const { location = '', 'set-cookie': cookies = [] } = answer.headers;
      const cookie = cookies.map((one) => one.split(';')[0]).join('; ');
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, location, cookie }));
    })
      .once('error', reject)
      .end();
  });
const login = (forwarded: string) => ask('/auth/login', { 'x-forwarded-for': forwarded });
async function statusesOf(forwarded: (at: number) => string): Promise<readonly [begun: number, refused: number]> {
  const answers: number[] = [];
  for (let at = 0; at < 60; at += 1) answers.push((await login(forwarded(at))).status);
  return [answers.filter((one) => one === 302).length, answers.filter((one) => one === 429).length];
}

describe('a stranger who begins sign-ins without end', () => {
  it.each(['127.0.0.1', '10.0.0.0/8, 127.0.0.0/8'])('holds up no client but their own, behind %s', async (proxies) => {
    await open(proxies);
    expect(await statusesOf(() => STRANGER)).toEqual([30, 30]);
    expect((await login(OTHER)).status).toBe(302);
    // What a client claims comes before what the proxy adds.
    expect((await login(`${OTHER}, ${STRANGER}`)).status).toBe(429);
  });

  it('is not believed where no proxy is known to stand before the console', async () => {
    await open('');
    expect(await statusesOf((at) => `203.0.113.${at}`)).toEqual([30, 30]);
  });

  it('is not believed where another proxy is known', async () => {
    await open('192.0.2.1,10.0.0.0/8');
    expect(await statusesOf((at) => `203.0.113.${at}`)).toEqual([30, 30]);
  });

  it('is one client with all addresses of their network, and one where they claim what is no address', async () => {
    await open('127.0.0.1');
    expect(await statusesOf((at) => `2001:db8:1:2::${at.toString(16)}`)).toEqual([30, 30]);
    expect((await login('2001:db8:1:3::1')).status).toBe(302);
    expect(await statusesOf((at) => `none-${at}`)).toEqual([30, 30]);
  });

  it('does not keep those from the end who have begun, from the same address', async () => {
    await open('');
    const begun = await ask('/auth/login');
    const back = new URL((await fetch(begun.location, { redirect: 'manual' })).headers.get('location') ?? '');
    for (let at = 0; at < 60; at += 1) await ask('/auth/callback?code=x&state=y');
    expect((await ask('/auth/callback?code=x&state=y')).status).toBe(429);
    expect((await ask(back.pathname + back.search, { cookie: begun.cookie })).status).toBe(302);
  });

  it('asks the issuer a few times for one sign-in', async () => {
    await open('');
    const { cookie } = await ask('/auth/login');
    const answers = [];
    for (let at = 0; at < 5; at += 1) answers.push((await ask('/auth/callback?code=x&state=y', { cookie })).status);
    expect(answers).toEqual([403, 403, 403, 429, 429]);
  });
});

describe('a proxy that is trusted', () => {
  it('says who the client is in the audit log, and under no other name where the console is', async () => {
    await open('127.0.0.1');
    await ask('/auth/callback?code=x&state=y', { 'x-forwarded-for': OTHER });
    expect((await readFile(audit(), 'utf8')).trim().split('\n').at(-1)).toContain(`"address":"${OTHER}"`);
    const forged = { host: 'evil.example.com', 'x-forwarded-host': HOST, 'x-forwarded-for': OTHER };
    expect((await ask('/', forged)).status).toBe(421);
  });

  it.each(['proxy.example.com', '10.0.0.0/33', '0.0.0.0/0', '::/0', '10.0.0.1/8/8', '10.0.0', '*'])(
    'is an address or a network that is not all: %s',
    (text) => {
      expect(() => readSettings({ FLOTILLA_CONSOLE_TRUSTED_PROXIES: text })).toThrow('TRUSTED_PROXIES');
    },
  );
});
