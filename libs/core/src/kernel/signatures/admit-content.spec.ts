import { describe, expect, it } from 'vitest';
import { admitContent, matchesText, type SignatureClaim } from './admit-content.js';
import type { Authority, SignaturePolicy } from './signature-policy.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const image = { host: 'r.example', repository: 'team/catalog' };

const KEY: Authority = { kind: 'key', key: 'k1' };
const CI: Authority = {
  kind: 'keyless',
  issuer: 'https://ci.example',
  identity: 'https://ci.example/team/*',
  root: 'r1',
};
const NOTARY: Authority = { kind: 'certificate', root: 'n1', subject: ['CN=release', 'O=Team'] };

const signer = (issuer: string, identity: string, root = 'r1'): SignatureClaim => ({
  ...{ digest: DIGEST, by: 'identity' },
  ...{ issuer, identity, root },
});
const certificate = (subject: string[], root = 'n1'): SignatureClaim => ({
  ...{ digest: DIGEST, by: 'certificate', subject, root },
});
const fault = (text: string): SignatureClaim => ({ digest: DIGEST, by: 'unknown', because: { fault: text } });
const otherKey: SignatureClaim = { digest: DIGEST, by: 'unknown', because: 'other-key' };

const judged = (accepts: Authority[], claims: SignatureClaim[], digests = [DIGEST]) =>
  admitContent({ rules: [{ scope: 'r.example', accepts }] }, { image, digests }, claims);

describe('admitContent', () => {
  it.each<[what: string, accepts: Authority[], claims: SignatureClaim[], by: Authority]>([
    ['the key', [KEY], [{ digest: DIGEST, by: 'key', key: 'k1' }], KEY],
    ['one of several keys', [CI, KEY], [otherKey, { digest: DIGEST, by: 'key', key: 'k1' }], KEY],
    ['the identity', [CI], [signer('https://ci.example', 'https://ci.example/team/release')], CI],
    ['a certificate with more attributes', [NOTARY], [certificate(['C=CH', 'CN=release', 'O=Team'])], NOTARY],
  ])('admits what is signed by %s', (_, accepts, claims, by) =>
    expect(judged(accepts, claims)).toEqual({ admitted: true, by }),
  );

  it.each<[what: string, accepts: Authority[], claims: SignatureClaim[], because: RegExp]>([
    ['without signature', [KEY], [], /: no signature;/],
    ['with the signature of another key', [KEY], [otherKey], /: signed by another key;/],
    ['whose signature is of another digest', [KEY], [{ digest: OTHER, by: 'key', key: 'k1' }], /: no signature;/],
    ['with a key of another rule', [KEY], [{ digest: DIGEST, by: 'key', key: 'k2' }], /: signed by another key;/],
    [
      'of another identity',
      [CI],
      [signer('https://ci.example', 'https://ci.example/mallory/release')],
      /: signed by "https:\/\/ci\.example\/mallory\/release" of "https:\/\/ci\.example";/,
    ],
    ['of another issuer', [CI], [signer('https://evil.example', 'https://ci.example/team/x')], /of "https:\/\/evil/],
    ['of another root', [CI], [signer('https://ci.example', 'https://ci.example/team/x', 'r2')], /: signed by "/],
    ['of another certificate', [NOTARY], [certificate(['CN=mallory', 'O=Team'])], /certificate "CN=mallory, O=Team";/],
    ['of another authority', [NOTARY], [certificate(['CN=release', 'O=Team'], 'n2')], /: signed by certificate "/],
    ['whose signature is not valid', [CI], [fault('no SCT')], /: no valid signature: no SCT;/],
    ['with many faults, one of another key', [KEY], [fault('x'), otherKey], /: signed by another key;/],
  ])('refuses content %s', (_, accepts, claims, because) => {
    const said = judged(accepts, claims);
    expect(said).toEqual({ admitted: false, text: expect.stringMatching(because) });
    const form =
      /^signature policy r\.example refuses sha256:a+: .*; an accepted (key|identity|certificate) must sign it, or change the policy$/;
    expect(said).toMatchObject({ text: expect.stringMatching(form) });
  });

  it('bounds what a foreign certificate says', () => {
    const said = judged([CI], [signer('https://i.example', 'x'.repeat(10_000))]);
    expect(JSON.stringify(said).length).toBeLessThan(500);
  });

  it.each<[what: string, policy: SignaturePolicy, admitted: boolean]>([
    ['no rule', { rules: [] }, true],
    ['a rule of another registry', { rules: [{ scope: 'q.example', accepts: [KEY] }] }, true],
    ['a rule that admits what is not signed', { rules: [{ scope: '*', accepts: [], admitsUnsigned: true }] }, true],
    [
      'a rule that cannot be read',
      { rules: [{ scope: 'r.example', accepts: [], problem: { text: 'no file' } }] },
      false,
    ],
    [
      'a rule that cannot be read, of another registry',
      { rules: [{ scope: 'q.example', accepts: [], problem: { text: 'no file' } }] },
      true,
    ],
    [
      'a policy that cannot be read',
      { rules: [{ scope: 'q.example', accepts: [KEY] }], problem: { text: 'no YAML' } },
      false,
    ],
  ])('with %s', (_, policy, admitted) =>
    expect(admitContent(policy, { image, digests: [DIGEST] }, []).admitted).toBe(admitted),
  );
});

describe('matchesText', () => {
  it.each<[pattern: string, text: string, matches: boolean]>([
    ['a', 'a', true],
    ['a', 'ab', false],
    ['a*', 'ab', true],
    ['*b', 'ab', true],
    ['a*b', 'ab', true],
    ['a*b', 'a', false],
    ['ab*b', 'ab', false],
    ['a*b*c', 'axbxc', true],
    ['a*b*b', 'ab', false],
    ['*', '', true],
    ['.', 'a', false],
    ['a*', 'xa', false],
    [`${'*a'.repeat(50)}b`, 'a'.repeat(50_000), false],
  ])('%s and %s', (pattern, text, matches) => expect(matchesText(pattern, text)).toBe(matches));
});
