import { describe, expect, it } from 'vitest';
import { clusterStatus, replacingUid } from './cluster-conditions.js';

const [T0, T1] = ['2026-01-05T00:00:00Z', '2026-01-05T00:01:00Z'];
const acting = { acts: true, isPaused: false, because: '' };
const answering = { uid: 'u-1', version: 'v1.34.1+k3s1', managed: acting };
const away = { silence: { reason: 'Timeout', message: 'no answer' } } as const;
const brief = ({ conditions = [] }: ReturnType<typeof clusterStatus>) =>
  conditions.map(({ type, status, reason, lastTransitionTime }) => [type, status, reason, lastTransitionTime]);

describe('the status of a FleetCluster', () => {
  const first = clusterStatus({}, answering, T0);

  it('says that the cluster answers, which it is, and what is done there', () => {
    expect(first).toMatchObject({ uid: 'u-1', version: 'v1.34.1+k3s1', facts: { distribution: 'k3s' } });
    expect(brief(first)).toEqual([
      ['IdentityStable', 'True', 'Same', T0],
      ['Managed', 'True', 'Acting', T0],
      ['Reachable', 'True', 'Answering', T0],
    ]);
  });

  it('is the same object where nothing has changed', () => {
    expect(clusterStatus(first, answering, T1)).toBe(first);
    const gone = clusterStatus(first, away, T1);
    const later = { silence: { reason: 'Timeout', message: 'other words' } } as const;
    expect(clusterStatus(gone, later, '2026-01-05T00:02:00Z')).toBe(gone);
  });

  it('names the last answer of a silent cluster, until it answers again', () => {
    const since = (heardAt: string) => ({ silence: { ...away.silence, heardAt } });
    const gone = clusterStatus(first, since(T0), T1);
    expect(gone.lastAnswerAt).toBe(T0);
    expect(clusterStatus(gone, since(T1), '2026-01-05T00:02:00Z')).toBe(gone);
    expect(clusterStatus(gone, answering, '2026-01-05T00:02:00Z').lastAnswerAt).toBeUndefined();
  });

  it('keeps what is not known of a cluster that is away', () => {
    const gone = clusterStatus(first, away, T1);
    expect(gone).toMatchObject({ uid: 'u-1', version: 'v1.34.1+k3s1' });
    expect(brief(gone)).toEqual([
      ['IdentityStable', 'True', 'Same', T0],
      ['Managed', 'True', 'Acting', T0],
      ['Reachable', 'False', 'Timeout', T1],
    ]);
  });

  it('names the other cluster that gives the same identity, and that this is over', () => {
    const uniqueness = (status: ReturnType<typeof clusterStatus>) =>
      status.conditions?.filter(({ type }) => type === 'IdentityUnique').map(({ status: is, reason }) => [is, reason]);
    expect(clusterStatus(first, { ...answering, dispute: null }, T1), 'none, as before').toBe(first);
    const claimed = clusterStatus(first, { ...answering, dispute: { isRefused: false, message: 'aaa' } }, T1);
    expect(uniqueness(claimed)).toEqual([['False', 'Claimed']]);
    const refused = clusterStatus({}, { ...away, dispute: { isRefused: true, message: 'east' } }, T1);
    expect(uniqueness(refused)).toEqual([['False', 'Refused']]);
    expect(uniqueness(clusterStatus(claimed, away, T1)), 'not known').toEqual([['False', 'Claimed']]);
    expect(uniqueness(clusterStatus(claimed, { ...answering, dispute: null }, T1))).toEqual([['True', 'Unique']]);
  });

  it.each([
    [{ acts: false, isPaused: false, because: 'OLM is there' }, 'LeftToOLM'],
    [{ acts: true, isPaused: true, because: '' }, 'Paused'],
  ])('says why nothing is done there: %j', (managed, reason) => {
    expect(brief(clusterStatus(first, { ...answering, managed }, T1))[1]).toEqual(['Managed', 'False', reason, T1]);
  });

  it('has facts of its nodes and claims, which stay where they are not read', () => {
    const facts = { arches: ['arm64'], nodes: 2, provider: undefined, claims: { site: 'hall-7' } };
    const known = clusterStatus(first, { ...answering, facts }, T1);
    expect(known.facts).toMatchObject({ distribution: 'k3s', arches: ['arm64'], nodes: 2, claims: { site: 'hall-7' } });
    const stored = JSON.parse(JSON.stringify(known)) as typeof known;
    expect(clusterStatus(stored, { ...answering, facts }, T1), 'as the API server has it').toBe(stored);
    expect(clusterStatus(known, { ...answering, facts: {} }, T1)).toBe(known);
    expect(clusterStatus(known, { ...answering, facts: { claims: {} } }, T1).facts?.['claims']).toEqual({});
    const replaced = clusterStatus(known, { ...answering, uid: 'u-2', facts: { nodes: 9 } }, T1);
    expect(replaced.facts).toBe(known.facts);
  });

  it('holds the first cluster that answers against the one that people expect', () => {
    const other = clusterStatus({}, { ...answering, expectedUid: 'u-0' }, T0);
    expect([other.uid, replacingUid(other)]).toEqual([undefined, 'u-1']);
    expect(brief(clusterStatus({}, { ...answering, expectedUid: 'u-1' }, T0))[0]?.[1]).toBe('True');
  });

  it('keeps the identity of before until another one is accepted', () => {
    const other = clusterStatus(first, { ...answering, uid: 'u-2' }, T1);
    expect(other.uid).toBe('u-1');
    expect([replacingUid(first), replacingUid(other)]).toEqual([undefined, 'u-2']);
    expect(brief(other)[0]).toEqual(['IdentityStable', 'False', 'Changed', T1]);
    const accepted = clusterStatus(other, { ...answering, uid: 'u-2', acceptedUid: 'u-2' }, T1);
    expect(accepted.uid).toBe('u-2');
    expect(brief(accepted)[0]).toEqual(['IdentityStable', 'True', 'Same', T1]);
  });
});
