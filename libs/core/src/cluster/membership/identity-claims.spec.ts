import { describe, expect, it } from 'vitest';
import { type IdentityClaim, type IdentityMember, sameIdentities, settleIdentities } from './identity-claims.js';

const UID = 'uid-of-east';

/** A cluster that has answered with `identity`; null: it has not answered yet. */
const member = (cluster: string, identity: string | null = UID, more: Partial<IdentityMember> = {}) => ({
  cluster,
  file: 'config',
  server: `https://${cluster}`,
  authority: 'a1',
  isVerified: identity !== null,
  ...(identity === null ? {} : { identity }),
  ...more,
});
const claimOf = (cluster: string, more: Partial<IdentityClaim> = {}): IdentityClaim => ({
  cluster,
  server: `https://${cluster}`,
  authority: 'a1',
  ...more,
});

type Case = Readonly<{
  because: string;
  members: readonly IdentityMember[];
  claim?: IdentityClaim;
  left?: readonly string[];
  refused: readonly string[];
  disputed?: readonly string[];
  /** The cluster of the new claim; absent: the claim stays. */
  claims?: string;
}>;

const CASES: readonly Case[] = [
  { because: 'one alone claims it', members: [member('east')], refused: [], claims: 'east' },
  {
    because: 'the liar is first in the files, and the true cluster was known',
    members: [member('aaa'), member('east')],
    claim: claimOf('east'),
    refused: ['aaa'],
    disputed: ['east'],
  },
  {
    because: 'the liar answers while the true cluster does not',
    members: [member('aaa'), member('east', null)],
    claim: claimOf('east'),
    refused: ['aaa'],
    disputed: ['east'],
  },
  {
    because: 'the true cluster is missing for a moment',
    members: [member('aaa')],
    claim: claimOf('east'),
    refused: ['aaa'],
    disputed: ['east'],
  },
  {
    because: 'the cluster has left long ago',
    members: [member('west')],
    claim: claimOf('east'),
    left: ['east'],
    refused: [],
    claims: 'west',
  },
  {
    because: 'its context has another name at the same address',
    members: [member('aaa'), member('prod-east', UID, { server: 'https://east', authority: 'a2' })],
    claim: claimOf('east'),
    refused: ['aaa'],
    disputed: ['prod-east'],
    claims: 'prod-east',
  },
  {
    because: 'it has another address and other authorities under its name',
    members: [member('east', UID, { server: 'https://balancer', authority: 'a2' }), member('aaa')],
    claim: claimOf('east'),
    refused: ['aaa'],
    disputed: ['east'],
    claims: 'east',
  },
  {
    because: 'the liar was first, and the true cluster joins',
    members: [member('aaa'), member('east')],
    claim: claimOf('aaa'),
    refused: ['east'],
    disputed: ['aaa'],
  },
  {
    because: 'a person says which one it is',
    members: [member('aaa'), member('east', UID, { stated: UID, accepted: UID })],
    claim: claimOf('aaa'),
    refused: ['aaa'],
    disputed: ['east'],
    claims: 'east',
  },
  {
    because: 'a person said it of both: the first one known stays',
    members: [member('aaa', UID, { accepted: UID }), member('east', UID, { accepted: UID })],
    claim: claimOf('east'),
    refused: ['aaa'],
    disputed: ['east'],
  },
  {
    because: 'the name of the claim is another cluster now, as after a restore under a new name',
    members: [member('east', 'uid-of-another'), member('restored')],
    claim: claimOf('east'),
    refused: [],
    claims: 'restored',
  },
  {
    because: 'two contexts changed their names',
    members: [member('east', 'uid-of-west'), member('west')],
    claim: claimOf('east'),
    refused: [],
    claims: 'west',
  },
  {
    because: 'nothing is known but what a kubeconfig says of a cluster that does not answer',
    members: [member('aaa'), member('east', null, { stated: UID })],
    refused: ['aaa'],
    disputed: ['east'],
  },
  {
    because: 'nothing is known: the first in the order of the files',
    members: [member('aaa'), member('east'), member('west')],
    refused: ['east', 'west'],
    disputed: ['aaa'],
    claims: 'aaa',
  },
  {
    because: 'a kubeconfig states it of a cluster whose login may not read it',
    members: [member('aaa'), member('east', null, { stated: UID, isVerified: true })],
    claim: claimOf('east'),
    refused: ['aaa'],
    disputed: ['east'],
  },
  { because: 'logins may not read it', members: [member('a', null), member('b', null)], refused: [] },
];

describe('clusters that give one identity', () => {
  it.each(CASES)('are settled if $because', ({ members, claim, left = [], refused, disputed = [], claims }) => {
    const known = new Map(claim === undefined ? [] : [[UID, claim]]);
    const verdict = settleIdentities(members, known, (cluster) => left.includes(cluster));
    expect([...verdict.refusals.keys()]).toEqual(refused);
    expect([...verdict.disputes.keys()]).toEqual(disputed);
    expect(verdict.changes.get(UID)?.cluster).toBe(claims);
    // Once more, nothing else changes.
    const settled = new Map([...known, ...verdict.changes]);
    const again = settleIdentities(members, settled, (cluster) => left.includes(cluster));
    expect([[...again.refusals], again.changes.size]).toEqual([[...verdict.refusals], 0]);
  });

  it('are both named, with what a person does', () => {
    const verdict = settleIdentities(
      [member('east'), member('harbour', UID, { file: 'other' })],
      new Map([[UID, claimOf('east')]]),
      () => false,
    );
    expect(verdict.refusals.get('harbour')).toBe(
      'context "harbour" of other leads to the same cluster as "east" (config), which the hub manages (UID uid-of-east): remove one of the two, or choose one with "flotilla clusters accept" (other kubeconfigs: accepted)',
    );
    expect(verdict.disputes.get('east')).toBe(
      'context "harbour" of other claims to be cluster "east" and is refused: remove the wrong one, or choose one with "flotilla clusters accept" (other kubeconfigs: accepted)',
    );
  });

  it('says when a cluster takes the place of one that has left', () => {
    const verdict = settleIdentities([member('west')], new Map([[UID, claimOf('east')]]), () => false);
    expect(verdict.refusals.get('west')).toBe(
      'context "west" of config leads to the same cluster as "east", which the hub managed (UID uid-of-east): used 10 minutes after that context was removed, or choose one with "flotilla clusters accept" (other kubeconfigs: accepted)',
    );
  });
});

it('clusters that give the same identity are each named with the others', () => {
  const found = sameIdentities([
    { cluster: 'aaa', identity: UID },
    { cluster: 'west', identity: 'another' },
    { cluster: 'east', identity: UID },
    { cluster: 'dark' },
    { cluster: 'cut-off', identity: '' },
    { cluster: 'gone', identity: '' },
  ]);
  expect([...found.keys()]).toEqual(['aaa', 'east']);
  expect(found.get('east')).toBe(
    'has the same UID of namespace kube-system as aaa (uid-of-east): the hub uses only one of them',
  );
});
