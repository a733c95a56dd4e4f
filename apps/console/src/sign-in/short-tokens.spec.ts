import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_GRANTS } from '#core/view/rights/console-policy';
import { ManualClock } from '#platform/clock/manual-clock';
import type { SessionStore, StoredSession } from '#platform/console/session-store.port';
import { silentLog } from '#platform/telemetry/log.port';
import { AccountSignIn } from './account-sign-in.js';
import { Issuer } from './issuer.js';
import { SealedTexts } from './sealed-text.js';
import { ISSUED_SECRET, TestIssuer } from './test-issuer.fixture.js';

const BACK = 'https://console.example.com/auth/callback';
const SECONDS_60 = 60;

let folder: string;
let clock: ManualClock;
let issuer: TestIssuer;
let accounts: AccountSignIn;
let stored: Map<string, StoredSession>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'short-tokens-'));
  await writeFile(join(folder, 'secret'), ISSUED_SECRET);
  // The library that reads the answers of the issuer has the clock of the machine.
  clock = new ManualClock(new Date());
  issuer = await TestIssuer.start();
  issuer.lifetime = SECONDS_60;
  stored = new Map();
  const sessions: SessionStore = {
    get: async (hash) => stored.get(hash),
    put: async (hash, session) => void stored.set(hash, session),
    remove: async (hash) => void stored.delete(hash),
  };
  const asked = { issuer: issuer.url, clientId: 'flotilla', scopes: 'openid', addresses: [] };
  accounts = new AccountSignIn({
    issuer: new Issuer({ ...asked, clientSecretFile: join(folder, 'secret') }, () => BACK),
    ...{ sessions, clock, log: silentLog, policy: () => NO_GRANTS },
    sealed: await SealedTexts.open(''),
    claims: { name: 'email', groups: 'groups' },
  });
});
afterEach(async () => {
  await issuer.stop();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

const cookieOf = (cookies: readonly string[], name: string): string =>
  cookies.map((one) => one.split(';')[0] ?? '').find((one) => one.startsWith(`${name}=`)) ?? '';

/** Signs in; the headers of what the browser asks afterwards. */
async function signIn() {
  const begun = await accounts.begin('/approvals');
  const back = await fetch(begun.location, { redirect: 'manual' });
  const { search } = new URL(back.headers.get('location') ?? '');
  const cookie = cookieOf([begun.cookie], '__Host-flotilla-sign-in');
  const end = await accounts.finish(search.slice(1), { authorization: undefined, cookie });
  if ('refused' in end) throw new Error(end.refused);
  return { authorization: undefined, cookie: cookieOf(end.cookies, '__Host-flotilla') };
}
type Browser = Awaited<ReturnType<typeof signIn>>;

const tokenOf = async (browser: Browser) => {
  const found = await (await accounts.personOf(browser))?.signedInWith?.();
  return found === undefined || !('token' in found) ? undefined : found.token;
};
const endOf = (token = ''): number =>
  Number(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).exp) * 1_000;

/** The issuer's clock goes with that of the console, and its tokens are of now. */
async function later(ms: number): Promise<void> {
  await clock.advance(ms);
  const ahead = Math.min(clock.now().getTime() - Date.now(), 55_000);
  issuer.nowMs = () => Date.now() + ahead;
}

describe('ID tokens of 60 seconds', () => {
  it('are used until they end soon, then the console renews them by itself', async () => {
    const browser = await signIn();
    const first = await tokenOf(browser);
    expect([first === undefined, issuer.refreshes]).toEqual([false, 0]);
    await later(30_000);
    expect([await tokenOf(browser), issuer.refreshes]).toEqual([first, 0]);
    await later(15_000);
    const second = await tokenOf(browser);
    expect(issuer.refreshes).toBe(1);
    expect(endOf(second)).toBeGreaterThan(endOf(first));
  });

  it('are renewed once for many questions at once', async () => {
    const browser = await signIn();
    await later(50_000);
    const tokens = await Promise.all(Array.from({ length: 20 }, () => tokenOf(browser)));
    expect([new Set(tokens).size, issuer.refreshes]).toEqual([1, 1]);
  });

  it('end the session where the issuer has ended it', async () => {
    const browser = await signIn();
    issuer.isEnded = true;
    await later(50_000);
    expect(await tokenOf(browser)).toBeUndefined();
    expect(await accounts.personOf(browser)).toBeUndefined();
  });

  it('prove nothing once they have ended and none follows, though the session goes on', async () => {
    const browser = await signIn();
    issuer.refreshesNoToken = true;
    await later(50_000);
    expect(await tokenOf(browser), 'until it ends').toBeDefined();
    await tokenOf(browser);
    expect(issuer.refreshes, 'not at each question').toBe(1);
    // The token was issued some moments after the clock of the test was set.
    await later(20_000);
    expect(await tokenOf(browser)).toBeUndefined();
    expect(await accounts.personOf(browser)).toMatchObject({ name: 'jane@example.com' });
  });

  it('lie in the session encrypted alone', async () => {
    const browser = await signIn();
    const token = (await tokenOf(browser)) ?? '';
    const text = JSON.stringify([...stored.values()]);
    expect(token).not.toBe('');
    for (const part of token.split('.')) expect(text).not.toContain(part);
    expect(text).toMatch(/"token":"eyJ[^"]+\.\.[^"]+"/);
  });
});

describe('a session that a client of Redis writes', () => {
  /** As who may write sessions: a record under the hash of a cookie of one's own. */
  function forge(record: StoredSession): Browser {
    const id = 'cookie-of-the-attacker';
    stored.set(createHash('sha256').update(id).digest('hex'), record);
    return { authorization: undefined, cookie: `__Host-flotilla=${id}` };
  }
  const recordOfJane = (): StoredSession => {
    const [record] = [...stored.values()];
    if (record === undefined) throw new RangeError('no session');
    return record;
  };

  it('has no use for the ID token of another session, though it is encrypted with the same key', async () => {
    await signIn();
    const { refresh: _without, ...record } = recordOfJane();
    expect(await tokenOf(forge(record))).toBeUndefined();
  });

  it('has no use for its refresh token either, which the issuer would give a new ID token for', async () => {
    await signIn();
    const { token: _without, tokenUntilMs: _until, ...record } = recordOfJane();
    const attacker = forge(record);
    await later(50_000);
    expect([await tokenOf(attacker), issuer.refreshes]).toEqual([undefined, 0]);
  });
});
