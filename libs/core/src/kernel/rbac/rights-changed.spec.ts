import { describe, expect, it } from 'vitest';
import { changedAfter, managedRights } from './rights-changed.js';

const role = (metadata: Record<string, unknown>) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata,
});
const SINCE = '2026-01-01T00:10:00Z';

describe('changedAfter', () => {
  it.each([
    { metadata: { creationTimestamp: '2026-01-01T00:11:00Z' }, is: true, because: 'it was made afterwards' },
    { metadata: { creationTimestamp: SINCE }, is: false, because: 'it was there when the phase began' },
    {
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z', managedFields: [{ time: '2026-01-01T00:10:01Z' }] },
      is: true,
      because: 'somebody changed it afterwards',
    },
    {
      metadata: {
        creationTimestamp: '2026-01-01T00:00:00Z',
        managedFields: [{ manager: 'flotilla-applier', time: '2026-01-01T00:10:01Z' }],
      },
      is: false,
      because: 'only the applier itself did, which labels what belongs to an Operator',
    },
    { metadata: { managedFields: 'broken' }, is: false, because: 'it does not tell' },
  ])('$is: $because', ({ metadata, is }) => {
    expect(changedAfter(SINCE, [role(metadata)])).toBe(is);
  });
  it('is no without a time to compare with', () => {
    expect(changedAfter(undefined, [role({ creationTimestamp: SINCE })])).toBe(false);
  });
});

it('managedRights leaves out what OLM does not watch', () => {
  const ours = role({ name: 'ours', labels: { 'olm.managed': 'true' } });
  expect(managedRights([ours, role({ name: 'theirs' })])).toEqual([ours]);
});
