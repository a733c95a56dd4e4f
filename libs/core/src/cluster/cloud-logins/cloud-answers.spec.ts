import { describe, expect, it } from 'vitest';
import { readAccessToken, readContainerKeys, readImpersonatedToken, readStsKeys, refusalIn } from './cloud-answers.js';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const BAD = ['', '[]', 'null', '{', '<html>busy</html>', '{"access_token":"","expires_in":1}', '[['.repeat(50_000)];

it.each(BAD)('finds no login in %.40s', (text) => {
  expect(readAccessToken(text, NOW)).toBeUndefined();
  expect(readImpersonatedToken(text)).toBeUndefined();
  expect(readContainerKeys(text)).toBeUndefined();
  expect(readStsKeys(text)).toBeUndefined();
  expect(() => refusalIn(text)).not.toThrow();
});

describe('an access token', () => {
  it.each([3_600, '3600'])('ends %s seconds after now', (seconds) => {
    const text = JSON.stringify({ access_token: 'ya29.a-b_c', expires_in: seconds });
    expect(readAccessToken(text, NOW)).toEqual({ token: 'ya29.a-b_c', until: NOW + 3_600_000 });
  });

  it.each([
    { access_token: 'a\r\nx-other: 1', expires_in: 1 },
    { access_token: 'a'.repeat(40_000), expires_in: 1 },
    { access_token: 'a', expires_in: 0 },
    { access_token: 'a', expires_in: -1 },
    { access_token: 'a', expires_in: 1e300 },
    { access_token: 'a' },
  ])('is not taken from %j', (answer) => {
    expect(readAccessToken(JSON.stringify(answer), NOW)).toBeUndefined();
  });
});

it('reads entities in an answer of STS', () => {
  const text =
    '<Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>a&amp;b</SecretAccessKey><SessionToken>s</SessionToken><Expiration>2026-11-30T13:00:00Z</Expiration></Credentials>';
  expect(readStsKeys(text)).toEqual({ id: 'A', secret: 'a&b', token: 's', until: NOW + 3_600_000 });
  expect(readStsKeys(text.replace('2026-11-30T13:00:00Z', 'soon'))).toBeUndefined();
});

it.each([
  [
    '<ErrorResponse><Error><Code>AccessDenied</Code><Message>Not authorized</Message></Error></ErrorResponse>',
    'AccessDenied: Not authorized',
  ],
  ['{"error":"invalid_client","error_description":"AADSTS1: no"}', 'invalid_client: AADSTS1: no'],
  ['{"error":{"code":403,"status":"PERMISSION_DENIED","message":"no"}}', 'PERMISSION_DENIED: no'],
  ['{"code":"AccessDenied","message":"no"}', 'AccessDenied: no'],
  ['a gateway', ''],
])('finds the reason in %s', (text, reason) => {
  expect(refusalIn(text)).toBe(reason);
});
