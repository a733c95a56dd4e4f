import { describe, expect, it } from 'vitest';
import {
  NONCE_KEPT_MS,
  PROOF_AGE_MS,
  PROOF_AHEAD_MS,
  type ProofFacts,
  ProofStatement,
  statementRefusal,
  tokenRefusal,
} from './console-proof.js';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const statement: ProofStatement = {
  ...{ v: 1, reader: 'applier', verb: 'approve', subject: 'a'.repeat(64), nonce: 'n'.repeat(20), atMs: NOW },
  by: { token: 'header.claims.signature' },
};
const facts: ProofFacts = { reader: 'applier', verb: 'approve', subject: 'a'.repeat(64), nowMs: NOW };

describe('a statement', () => {
  it('proves the action that it was made for', () => {
    expect(statementRefusal(statement, facts)).toBeUndefined();
  });

  it.each<[what: string, other: Partial<ProofFacts>, reason: string]>([
    ['another verb', { verb: 'roll-back' }, 'other-subject'],
    ['another plan, target or comment', { subject: 'b'.repeat(64) }, 'other-subject'],
    ['another service', { reader: 'poller' }, 'other-reader'],
    ['a later time', { nowMs: NOW + PROOF_AGE_MS + 1 }, 'too-old'],
    ['a clock that is behind', { nowMs: NOW - PROOF_AHEAD_MS - 1 }, 'not-yet'],
  ])('does not prove %s', (_what, other, reason) => {
    expect(statementRefusal(statement, { ...facts, ...other })?.reason).toBe(reason);
  });

  it.each([PROOF_AGE_MS, -PROOF_AHEAD_MS])('is accepted at the bounds of its age: %i ms', (laterMs) => {
    expect(statementRefusal(statement, { ...facts, nowMs: NOW + laterMs })).toBeUndefined();
  });

  it('is forgotten only when no reader accepts it any more', () => {
    expect(NONCE_KEPT_MS).toBeGreaterThan(PROOF_AGE_MS + PROOF_AHEAD_MS);
  });

  it.each<[what: string, value: Readonly<Record<string, unknown>>]>([
    ['a version of later', { v: 2 }],
    ['a reader that does not exist', { reader: 'resolver' }],
    ['a short nonce', { nonce: 'n' }],
    ['no person', { by: {} }],
    ['a person twice', { by: { token: 'a', code: 'b' } }],
    ['fields of its own', { more: 1 }],
  ])('with %s is none', (_what, value) => {
    expect(ProofStatement.safeParse(statement).success).toBe(true);
    expect(ProofStatement.safeParse({ ...statement, ...value }).success).toBe(false);
  });
});

describe('the claims of an ID token', () => {
  const second = NOW / 1_000;
  const claims = { iss: 'https://login.test', sub: 'u1', aud: 'flotilla', iat: second - 10, exp: second + 60 };
  const expected = { issuer: 'https://login.test', audience: 'flotilla', nowMs: NOW };

  it.each<[what: string, more: Readonly<Record<string, unknown>>]>([
    ['as issuers send them', {}],
    ['with a list of one audience', { aud: ['flotilla'] }],
    ['with several audiences and this party', { aud: ['flotilla', 'other'], azp: 'flotilla' }],
    ['that ended less than the leeway ago', { exp: second - 29 }],
  ])('name a person: %s', (_what, more) => {
    expect(tokenRefusal({ ...claims, ...more }, expected)).toBeUndefined();
  });

  it.each<[what: string, more: Readonly<Record<string, unknown>>, message: string]>([
    ['of another issuer', { iss: 'https://evil.test' }, 'another issuer'],
    ['of an issuer whose name goes on', { iss: 'https://login.test/' }, 'another issuer'],
    ['for another client', { aud: 'other' }, 'a client other than'],
    ['for a client whose name begins alike', { aud: ['flotilla-2'] }, 'a client other than'],
    ['for several clients, of which none is the party', { aud: ['flotilla', 'other'] }, 'several clients'],
    ['for another party', { azp: 'other' }, 'or to another client'],
    ['that ended', { exp: second - 30 }, 'sign in again'],
    ['of yesterday', { iat: second - 12 * 3_600 - 1 }, 'older than 12 hours'],
    ['of the future', { iat: second + 31 }, 'from the future'],
    ['that begins later', { nbf: second + 31 }, 'from the future'],
    ['without an end', { exp: undefined }, 'claim exp'],
    ['without a time', { iat: undefined }, 'claim iat'],
    ['with an end that is text', { exp: '9999999999' }, 'claim exp'],
    ['without a subject', { sub: '' }, 'claim sub'],
    ['without an audience', { aud: [] }, 'claim aud'],
  ])('name no person: %s', (_what, more, message) => {
    const refusal = tokenRefusal({ ...claims, ...more }, expected);
    expect(refusal).toEqual({ reason: 'token', message: expect.stringContaining(message) });
  });

  it.each([undefined, null, 'text', []])('name no person where there are none: %j', (none) => {
    expect(tokenRefusal(none, expected)?.reason).toBe('token');
  });
});
