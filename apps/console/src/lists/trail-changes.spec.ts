import { describe, expect, it } from 'vitest';
import { PolicyModel } from '#core/view/rights/console-policy';
import { ALL_RIGHTS, rightsOf } from '#core/view/rights/rights';
import type { TrailEntry } from '#platform/console/audit-trail.port';
import { trailChanges } from './trail-changes.js';

const AT = '2026-11-26T10:41:00.000Z';
const common = { at: AT, address: '10.0.0.7', verb: '', targets: [], more: 0, because: '' };
const SIGN_IN: TrailEntry = { ...common, event: 'sign-in', person: 'jane' };
const NAMELESS: TrailEntry = { ...common, event: 'sign-in-refused', person: '', because: 'too long ago' };
const HUB: TrailEntry = { ...common, event: 'refused', person: 'owner', verb: 'hub', because: 'takes admin' };
const APPROVAL: TrailEntry = {
  ...{ ...common, event: 'refused', person: 'owner', verb: 'approve', because: 'takes approver' },
  ...{ targets: ['eu-1/lamps/install-1', 'us-1/lamps/install-1', 'arn:eks/eu-2/harbors/install-3'], more: 5 },
};
const TRAIL = [APPROVAL, HUB, NAMELESS, SIGN_IN];

const grant = { users: ['ann'], role: 'admin' } as const;
const shownTo = (more: object) => {
  const rights = rightsOf(PolicyModel.parse({ grants: [{ ...grant, ...more }] }), { name: 'ann', groups: [] });
  return trailChanges(TRAIL, rights, () => ({})).map(({ kind, to, cluster }) => [kind, to, cluster].join(' ').trim());
};
const WITHOUT_PLACE = ['refusal hub', 'sign-in refused', 'sign-in signed in'];

describe('sign-ins and refusals as changes', () => {
  it('name person, client, reason and each target', () => {
    const [first, second, third, ...rest] = trailChanges(TRAIL, ALL_RIGHTS, () => ({}));
    const refusal = { kind: 'refusal', at: AT, address: '10.0.0.7', by: 'owner', to: 'approve', from: '', package: '' };
    const comment = 'takes approver (and 5 more)';
    const plan = { ...refusal, comment, namespace: 'lamps', row: 'refusal/lamps/install-1' };
    expect([first, second]).toEqual([
      { ...plan, cluster: 'eu-1' },
      { ...plan, cluster: 'us-1' },
    ]);
    expect(third).toMatchObject({ cluster: 'arn:eks/eu-2', namespace: 'harbors', row: 'refusal/harbors/install-3' });
    expect(rest.map(({ by, to, comment: why }) => [by, to, why])).toEqual([
      ['owner', 'hub', 'takes admin'],
      ['', 'refused', 'too long ago'],
      ['jane', 'signed in', ''],
    ]);
  });

  it.each([
    ['of some clusters', { clusters: ['eu-*'] }, ['refusal approve eu-1', ...WITHOUT_PLACE]],
    [
      'of a namespace',
      { clusters: ['*'], namespaces: ['harbors'] },
      ['refusal approve arn:eks/eu-2', ...WITHOUT_PLACE],
    ],
    // Which packages a target has is not known any more.
    ['of some packages', { clusters: ['*'], packages: ['lamp'] }, WITHOUT_PLACE],
    ['of clusters with a label', { clusters: ['*'], labels: { tier: 'prod' } }, WITHOUT_PLACE],
  ])('are for an admin %s those of whole namespaces there, and what has no place', (_, more, shown) => {
    expect(shownTo(more)).toEqual(shown);
  });

  it.each(['viewer', 'approver', 'operator'])('are not for the role %s', (role) => {
    expect(shownTo({ role, clusters: ['*'] })).toEqual([]);
  });
});
