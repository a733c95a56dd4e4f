import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../clock/manual-clock.js';
import { HubKey } from '../../keys/hub-key.js';
import {
  CLIENT,
  ISSUER,
  type ProofIssuer,
  proofIssuer,
  proofParts,
  type TokenParts,
} from './console-proofs.fixture.js';
import type { ProofChecker } from './proof-checker.js';
import { privateProofKeys, publicProofKeys } from './proof-keys.js';
import { ProofMaker } from './proof-maker.js';
import { sealProof } from './sealed-proof.js';

const ACTION = { v: 1, verb: 'approve', planHash: 'hash-1', targets: [{ cluster: 'east', namespace: 'a', name: 'b' }] };
const KEY = 'k'.repeat(43);

let clock: ManualClock;
let issuer: ProofIssuer;
let parts: ReturnType<typeof proofParts>;
beforeEach(async () => {
  clock = new ManualClock(new Date('2026-11-29T12:00:00Z'));
  issuer = await proofIssuer(clock);
  parts = proofParts(clock, { issuedBy: issuer });
});

const proved = { reader: 'applier', verb: 'approve', subject: ACTION } as const;
const proofWith = async (token: TokenParts = {}) => parts.maker.make(proved, { token: await issuer.token(token) });
const check = (proof: string, more: object = {}, checker: ProofChecker = parts.checker) =>
  checker.check({ verb: 'approve', subject: ACTION, proof, delivery: '1-0', ...more });
const reasonOf = async (proof: string, more: object = {}) => {
  const checked = await check(proof, more);
  return 'reason' in checked ? `${checked.reason}: ${checked.message}` : checked.person.name;
};

describe('who acts in the console', () => {
  it('is who the ID token names, with the rights of the policy of the reader', async () => {
    const checked = await check(await proofWith());
    if ('reason' in checked) throw new Error(checked.message);
    expect(checked.person).toEqual({ name: 'jane@bank.example', groups: ['sre'] });
    expect(checked.rights.decide('approve', { cluster: 'east', namespace: 'a' }, () => ({})).allowed).toBe(true);
    expect(checked.rights.decide('hub', undefined, () => ({})).allowed).toBe(false);
  });

  it('may do nothing where the policy of the reader grants nothing', async () => {
    const checked = await check(await proofWith({ claims: { groups: ['guests'] } }));
    expect('rights' in checked && checked.rights.mayAnywhere('viewer')).toBe(false);
  });

  it('is unknown without a proof', async () => {
    expect(await reasonOf('')).toMatch(/^no-proof: /);
  });

  it.each<[what: string, more: object]>([
    ['verb', { verb: 'roll-back' }],
    ['plan hash', { subject: { ...ACTION, planHash: 'hash-2' } }],
    ['target', { subject: { ...ACTION, targets: [{ cluster: 'west', namespace: 'a', name: 'b' }] } }],
    [
      'target more',
      { subject: { ...ACTION, targets: [...ACTION.targets, { cluster: 'west', namespace: 'a', name: 'b' }] } },
    ],
    ['comment', { subject: { ...ACTION, comment: 'as agreed' } }],
  ])('did not send another %s', async (_what, more) => {
    expect(await reasonOf(await proofWith(), more)).toMatch(/^other-subject: /);
  });

  it.each<[what: string, token: TokenParts]>([
    ['another issuer', { claims: { iss: 'https://evil.test' } }],
    ['another client', { claims: { aud: 'other' } }],
    ['the day before', { claims: { exp: Date.parse('2026-11-29T11:00:00Z') / 1_000 } }],
    ['an address that is not verified', { claims: { email_verified: 'false' } }],
    ['an access token', { header: { typ: 'at+jwt' } }],
    ['the public key as a secret', { alg: 'HS256', key: new TextEncoder().encode('public key as a secret'.repeat(4)) }],
  ])('is unknown with a token of %s', async (_what, token) => {
    expect(await reasonOf(await proofWith(token))).toMatch(/^token: /);
  });

  it('is unknown with a token that another key signed, or none', async () => {
    const other = await proofIssuer(clock);
    const forged = await parts.maker.make(proved, { token: await other.token() });
    expect(await reasonOf(forged)).toBe('token: the ID token of the person has no valid signature of the issuer');
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = (await issuer.token()).split('.')[1];
    const bare = await parts.maker.make(proved, { token: `${part({ alg: 'none' })}.${claims}.` });
    expect(await reasonOf(bare)).toMatch(/^token: /);
  });

  it('is known by new keys of the issuer, which is asked for them once in a while', async () => {
    await reasonOf(await proofWith());
    await issuer.rotate('k2');
    const asked = issuer.asked;
    expect(await reasonOf(await proofWith())).toMatch(/^token: /);
    expect(issuer.asked, 'a moment after the last time').toBe(asked);
    await clock.advance(11_000);
    expect(await reasonOf(await proofWith())).toBe('jane@bank.example');
  });

  it('is not known while the issuer gives no keys', async () => {
    const away = { ...issuer, fetch: async () => new Response('', { status: 503 }) } as ProofIssuer;
    const there = proofParts(clock, { issuedBy: away });
    const proof = await there.maker.make(proved, { token: await issuer.token() });
    expect(await check(proof, {}, there.checker)).toMatchObject({ reason: 'issuer-away' });
  });

  it('is not known where the metadata is of another issuer, or its keys come without TLS', async () => {
    for (const said of [
      { issuer: 'https://evil.test', jwks_uri: `${ISSUER}/keys` },
      { issuer: ISSUER, jwks_uri: 'http://login.test/keys' },
    ]) {
      const lying = {
        ...issuer,
        fetch: async (at: string) => (/well-known/.test(at) ? Response.json(said) : issuer.fetch(at)),
      };
      const there = proofParts(clock, { issuedBy: lying as unknown as ProofIssuer });
      const proof = await there.maker.make(proved, { token: await issuer.token() });
      expect(await check(proof, {}, there.checker)).toMatchObject({ reason: 'issuer-away' });
    }
  });

  it('is unknown by a proof for the poller, for another hub, or one that was changed on its way', async () => {
    const token = await issuer.token();
    const forPoller = await parts.maker.make({ ...proved, reader: 'poller' }, { token });
    expect(await reasonOf(forPoller)).toMatch(/^unreadable: /);
    const elsewhere = await new ProofMaker(publicProofKeys(HubKey.random()), clock).make(proved, { token });
    expect(await reasonOf(elsewhere)).toMatch(/^unreadable: .*FLOTILLA_CONSOLE_PROOF_KEYS_FILE/);
    const proof = await proofWith();
    const at = proof.length - 30;
    expect(await reasonOf(`${proof.slice(0, at)}${proof[at] === 'A' ? 'B' : 'A'}${proof.slice(at + 1)}`)).toMatch(
      /^unread/,
    );
    expect(await reasonOf('x'.repeat(70_000))).toMatch(/^unreadable: /);
  });

  it('is unknown by a proof that says it is for the poller, though the applier can open it', async () => {
    const by = { token: await issuer.token() };
    const statement = { v: 1, reader: 'poller', verb: 'approve', subject: '', nonce: 'n'.repeat(20) } as const;
    const sealed = await sealProof(
      { ...statement, subject: 'x', atMs: clock.now().getTime(), by },
      publicProofKeys(parts.hubKey).applier,
    );
    expect(await reasonOf(sealed)).toMatch(/^other-reader: /);
  });

  it('is unknown by a proof of two minutes ago', async () => {
    const proof = await proofWith({ claims: { exp: clock.now().getTime() / 1_000 + 3_600 } });
    await clock.advance(121_000);
    expect(await reasonOf(proof)).toMatch(/^too-old: /);
  });

  it('acts once in each cluster, and never by the same proof in another message', async () => {
    const proof = await proofWith();
    const first = await check(proof);
    const again = await check(proof, { delivery: '2-0' });
    if ('reason' in first || 'reason' in again) throw new Error('refused');
    expect([await first.use('east'), await first.use('west')]).toEqual([undefined, undefined]);
    expect(await first.use('east'), 'the same message in another process').toBe('elsewhere');
    expect(await again.use('east')).toMatchObject({ reason: 'used' });
  });

  it('is still known after the hub has another key, as long as the older one stands below it', async () => {
    const older = parts.hubKey;
    const keys = [...privateProofKeys(HubKey.random(), 'applier'), ...privateProofKeys(older, 'applier')];
    const { checker } = proofParts(clock, { issuedBy: issuer, privateKeys: keys });
    expect(await check(await proofWith(), {}, checker)).toMatchObject({ person: { name: 'jane@bank.example' } });
  });
});

describe('a console without accounts', () => {
  const local = (key: string | undefined = KEY) => proofParts(clock, { consoleKey: async () => key });

  it('acts as local for who has its key, and for no one else', async () => {
    const there = local();
    const proof = await there.maker.make(proved, { key: KEY });
    expect(await check(proof, {}, there.checker)).toMatchObject({ person: { name: 'local' } });
    const guessed = await there.maker.make(proved, { key: 'g'.repeat(43) });
    expect(await check(guessed, {}, there.checker)).toMatchObject({ reason: 'code' });
  });

  it('takes no token, which nothing here can check', async () => {
    const there = local();
    const proof = await there.maker.make(proved, { token: await issuer.token() });
    expect(await check(proof, {}, there.checker)).toMatchObject({ reason: 'not-set-up' });
  });

  it('neither acts nor asks where the reader has no key of it', async () => {
    const there = proofParts(clock, {});
    const proof = await there.maker.make(proved, { key: KEY });
    expect(await check(proof, {}, there.checker)).toMatchObject({ reason: 'not-set-up' });
  });

  it('is not what a hub with accounts takes: its key acts no more', async () => {
    const there = proofParts(clock, { issuedBy: issuer, consoleKey: async () => KEY });
    const proof = await there.maker.make(proved, { key: KEY });
    expect(await check(proof, {}, there.checker)).toMatchObject({ reason: 'code' });
  });
});

it('a proof shows nothing of the token or the key to who reads it on its way', async () => {
  const token = await issuer.token({ claims: { aud: CLIENT } });
  const [byToken, byKey] = [await parts.maker.make(proved, { token }), await parts.maker.make(proved, { key: KEY })];
  for (const proof of [byToken, byKey]) {
    const readable = proof
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      .join('\n');
    for (const secret of [token.split('.')[1] ?? '', 'jane', KEY]) expect(`${proof}${readable}`).not.toContain(secret);
  }
});

it('what is refused is counted each time, and logged once in ten seconds', async () => {
  const lines: object[] = [];
  const log = { warn: (fields: object) => void lines.push(fields) } as never;
  const { checker, counted } = proofParts(clock, { log });
  for (let times = 0; times < 3; times += 1) checker.note('used', { verb: 'approve' });
  await clock.advance(10_001);
  checker.note('used', { verb: 'approve' });
  expect(counted).toEqual(['used', 'used', 'used', 'used']);
  expect(lines).toEqual([
    { verb: 'approve', reader: 'applier', reason: 'used' },
    { verb: 'approve', reader: 'applier', reason: 'used', more: 2 },
  ]);
});
