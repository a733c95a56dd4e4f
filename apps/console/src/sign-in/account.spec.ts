import { describe, expect, it } from 'vitest';
import { readAccount } from '#core/view/rights/account';
import { isIssuedAhead, mergedClaims } from './account.js';

const NAMES = { name: 'email', groups: 'groups' };
const claims = (more: Readonly<Record<string, unknown>>) => ({ sub: 'u1', email: 'root@x.test', ...more });

describe('an account that is named by its address', () => {
  it('is taken where the issuer has verified the address', () => {
    expect(readAccount(claims({ email_verified: true, groups: ['sre'] }), NAMES)).toEqual({
      ...{ name: 'root@x.test', groups: ['sre'] },
    });
  });

  it.each([
    ...[false, 'false', 'true', 'TRUE', 'yes', 'no', '', 0, 1, '1', null, undefined],
    ...[[[true]], [['true']], [{ value: true }]].flat(),
  ])('has no rights where email_verified is %j', (verified) => {
    const said = readAccount(claims({ email_verified: verified }), NAMES);
    expect(said).toEqual({ refused: expect.stringContaining('has not verified the address root@x.test') });
  });

  it('has none where the claim is absent, and says which claim is meant', () => {
    const said = readAccount(claims({}), NAMES);
    expect(said).toEqual({ refused: expect.stringMatching(/email_verified is absent\)$/) });
  });

  it.each([
    ['true', true],
    ['TRUE', false],
    ['True', false],
    [' true', false],
    ['1', false],
    ['false', false],
    [1, false],
    [undefined, false],
  ])('with the setting for text, %j counts: %s', (verified, isTaken) => {
    const said = readAccount(claims({ email_verified: verified }), { ...NAMES, takesVerifiedText: true });
    expect('name' in said).toBe(isTaken);
  });
});

describe('an account that another claim names', () => {
  it('needs no verified address', () => {
    expect(readAccount(claims({ email_verified: false }), { ...NAMES, name: 'sub' })).toMatchObject({ name: 'u1' });
  });
});

describe('claims of a token and of userinfo', () => {
  const of = (token: Readonly<Record<string, unknown>>, userInfo: Readonly<Record<string, unknown>>) =>
    'name' in readAccount(mergedClaims({ sub: 'u1', ...token }, { sub: 'u1', ...userInfo }), NAMES);
  const mine = 'me@x.test';
  const root = 'root@x.test';

  it.each([
    ['both in the token', { email: root, email_verified: true }, {}, true],
    ['both in userinfo', {}, { email: root, email_verified: true }, true],
    ['the address in both', { email: root }, { email: root, email_verified: true }, true],
    ['another address in userinfo', { email: root }, { email: mine, email_verified: true }, false],
    ['no address in userinfo', { email: root }, { email_verified: true }, false],
    ['an address in userinfo, verified by the token', { email_verified: true }, { email: root }, false],
    ['a token that says no', { email: root, email_verified: false }, { email: root, email_verified: true }, false],
  ])('%s', (_, token, userInfo, isTaken) => expect(of(token, userInfo)).toBe(isTaken));
});

describe('the time of a token', () => {
  const now = new Date('2026-11-25T10:00:00Z');
  it.each([
    [-3_600, false],
    [0, false],
    [60, false],
    [61, true],
    [1e9, true],
  ])('%i s from now is ahead: %s', (seconds, isAhead) => {
    expect(isIssuedAhead({ iat: now.getTime() / 1_000 + seconds }, now)).toBe(isAhead);
  });
});
