import { describe, expect, it } from 'vitest';
import { FleetClusterSourceStatus } from '../../kernel/api/fleet/fleet-cluster-source.js';
import { leftText, statusInSource } from '../membership/source-condition.js';
import { sourceStatus } from './source-status.js';

const [T1, T2] = ['2026-06-01T12:00:00.000Z', '2026-06-01T13:00:00.000Z'];
const plan = {
  refused: [{ origin: 'Secret argocd/x', refused: 'key "config" is not JSON' }],
  left: ['west'],
  written: 2,
};
const conditions = (status: FleetClusterSourceStatus) =>
  Object.fromEntries((status.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]));

describe('the status of a FleetClusterSource', () => {
  it('says what is in step, what is refused and what has left, and since when', () => {
    const first = sourceStatus({}, { generation: 1, plan }, T1);
    expect(first).toMatchObject({
      ...{ observedGeneration: 1, clusters: 2, refusedCount: 1, leftCount: 1 },
      refused: [{ object: 'Secret argocd/x', message: 'key "config" is not JSON' }],
      left: [{ cluster: 'west', since: T1 }],
    });
    expect(conditions(first)).toEqual({
      AllPresent: 'False ClustersLeft',
      Complete: 'False SomeRefused',
      Ready: 'True InStep',
    });
    expect(sourceStatus(first, { generation: 1, plan }, T2)).toBe(first);
    const more = sourceStatus(first, { generation: 1, plan: { ...plan, left: ['east', 'west'] } }, T2);
    expect(more.left).toEqual([
      { cluster: 'east', since: T2 },
      { cluster: 'west', since: T1 },
    ]);
    const well = sourceStatus(more, { generation: 2, plan: { refused: [], left: [], written: 3 } }, T2);
    expect(conditions(well)).toEqual({ AllPresent: 'True NoneLeft', Complete: 'True AllTaken', Ready: 'True InStep' });
  });

  it('has the Role while a right is missing, and keeps what was known', () => {
    const first = sourceStatus({}, { generation: 1, plan }, T1);
    const trouble = { reason: 'Forbidden', message: 'may not', role: 'kind: Role\n' } as const;
    const forbidden = sourceStatus(first, { generation: 1, trouble }, T2);
    expect(forbidden).toMatchObject({ role: 'kind: Role\n', clusters: 2, refusedCount: 1 });
    expect(conditions(forbidden)).toMatchObject({ Ready: 'False Forbidden', Complete: 'False SomeRefused' });
    expect(sourceStatus(forbidden, { generation: 1, plan }, T2).role).toBeUndefined();
  });

  it('stays within the bounds of its definition, however much there is', () => {
    const refused = Array.from({ length: 500 }, (_, at) => ({
      origin: `Secret argocd/${at}`,
      refused: 'x'.repeat(5_000),
    }));
    const left = Array.from({ length: 500 }, (_, at) => `c-${at}`);
    const status = sourceStatus({}, { generation: 1, plan: { refused, left, written: 0 } }, T1);
    expect(FleetClusterSourceStatus.safeParse(status).error).toBeUndefined();
    expect(status).toMatchObject({ refusedCount: 500, leftCount: 500 });
    expect(status.refused).toHaveLength(50);
  });
});

describe('condition InSource of a FleetCluster', () => {
  it('changes as its source has it, and keeps what others report', () => {
    const other = {
      type: 'Reachable',
      status: 'True',
      reason: 'Answering',
      message: '',
      lastTransitionTime: T1,
    } as const;
    const there = statusInSource({ conditions: [other] }, { isThere: true, source: 'argo' }, T1);
    expect(there.conditions).toEqual([
      { type: 'InSource', status: 'True', reason: 'Present', message: '', lastTransitionTime: T1 },
      other,
    ]);
    expect(statusInSource(there, { isThere: true, source: 'argo' }, T2)).toBe(there);
    const left = statusInSource(there, { isThere: false, source: 'argo' }, T2);
    expect(left.conditions?.[0]).toMatchObject({ status: 'False', reason: 'Left', message: leftText('argo') });
  });
});
