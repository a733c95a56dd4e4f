import { expect, it } from 'vitest';
import { accountToken, lifetimeOf, renewedFrom } from './account-token.js';

const HOUR = 3_600_000;
const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
const sub = 'system:serviceaccount:flotilla-access:poller';

it('reads whose token it is, and when it began and ends', () => {
  expect(accountToken(jwt({ sub, iat: 1_000, exp: 4_600 }))).toEqual({
    namespace: 'flotilla-access',
    name: 'poller',
    issuedAt: 1_000_000,
    expiresAt: 4_600_000,
  });
  expect(accountToken(jwt({ sub }))).toEqual({ namespace: 'flotilla-access', name: 'poller' });
});

it.each([
  ['no token', ''],
  ['a text', 'abc'],
  ['no JSON', 'a.!!!.c'],
  ['a list', jwt([1])],
  ['null', jwt(null)],
  ['a person', jwt({ sub: 'dana', exp: 4_600 })],
  ['a path as a name', jwt({ sub: 'system:serviceaccount:a:../../x' })],
  ['an end before the first second', jwt({ sub, exp: -1 })],
  ['an end after all calendars', jwt({ sub, exp: 1e300 })],
  ['a very long one', jwt({ sub, x: 'x'.repeat(40_000) })],
])('is nothing for %s', (_name, token) => {
  expect(accountToken(token)).toBeUndefined();
});

it('is renewed from half of its life on, and never before its last five minutes if it is short', () => {
  expect(renewedFrom({ namespace: 'a', name: 'b', issuedAt: 0, expiresAt: 24 * HOUR })).toBe(12 * HOUR);
  expect(renewedFrom({ namespace: 'a', name: 'b', expiresAt: 24 * HOUR })).toBe(23.5 * HOUR);
  expect(renewedFrom({ namespace: 'a', name: 'b', issuedAt: HOUR, expiresAt: HOUR + 1 })).toBe(HOUR + 1 - 300_000);
  expect(renewedFrom({ namespace: 'a', name: 'b' })).toBeUndefined();
  expect(lifetimeOf({ namespace: 'a', name: 'b', issuedAt: 0, expiresAt: 1 })).toBe(600_000);
});
