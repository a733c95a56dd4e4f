import { describe, expect, it } from 'vitest';
import type { InstallPlan, InstallPlanStatus } from '../../../kernel/api/install-plan.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import { nextTurn, operatorGroupVerdict, revivedByOptIn, revivedByRights } from './before-execution.js';

const NOW = '2026-03-01T10:00:00.500Z';
const group = (
  name: string,
  more: { namespaces?: string[]; account?: string; found?: boolean } = {},
): OperatorGroup => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup',
  metadata: { name, namespace: 'harbour' },
  spec: more.account === undefined ? {} : { serviceAccountName: more.account },
  status: {
    namespaces: more.namespaces ?? ['harbour'],
    ...(more.found ? { serviceAccountRef: { kind: 'ServiceAccount', name: more.account } } : {}),
  },
});
const step = {
  resolving: 'tug.v1',
  status: 'Unknown',
  resource: {
    sourceName: 's',
    sourceNamespace: 'olm',
    group: '',
    version: 'v1',
    kind: 'ConfigMap',
    name: 'c',
    manifest: '{}',
  },
};
const plan = (phase: string, more: { approved?: boolean; status?: Partial<InstallPlanStatus> } = {}): InstallPlan => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  metadata: { name: 'install-1', namespace: 'harbour' },
  spec: { approval: 'Manual', approved: more.approved ?? false, clusterServiceVersionNames: [] },
  status: { phase, catalogSources: [], plan: [step], ...more.status },
});

describe('install-plans.md §3, before any transition: one group to install under', () => {
  it.each<[why: string, groups: OperatorGroup[], verdict: object]>([
    ['none', [], { ok: false, message: 'no operator group found that is managing this namespace' }],
    [
      'one without targets does not count',
      [group('a', { namespaces: [] })],
      { ok: false, message: 'no operator group found that is managing this namespace' },
    ],
    [
      'two',
      [group('a'), group('b')],
      { ok: false, message: 'more than one operator group(s) are managing this namespace count=2' },
    ],
    ['one of two without targets', [group('a'), group('b', { namespaces: [] })], { ok: true }],
    [
      'an account that is not there',
      [group('a', { account: 'clerk' })],
      { ok: false, message: 'please make sure the service account exists. sa=clerk operatorgroup=harbour/a' },
    ],
    [
      'an account',
      [group('a', { account: 'clerk', found: true })],
      { ok: true, serviceAccount: { apiVersion: 'v1', kind: 'ServiceAccount', name: 'clerk', namespace: 'harbour' } },
    ],
  ])('%s', (_why, groups, verdict) => {
    expect(operatorGroupVerdict(groups)).toEqual(verdict);
  });
});

describe('install-plans.md §3, phases', () => {
  it.each<[why: string, plan: InstallPlan, turn: object]>([
    ['RequiresApproval, not approved: stays', plan('RequiresApproval'), { turn: 'rest', because: 'RequiresApproval' }],
    [
      'RequiresApproval, spec.approved true → Installing, message cleared',
      plan('RequiresApproval', { approved: true, status: { message: 'old' } }),
      { turn: 'write', status: { phase: 'Installing', catalogSources: [], plan: [step] } },
    ],
    ['Installing: is executed', plan('Installing'), { turn: 'execute' }],
    ['`` : nothing', plan(''), { turn: 'rest', because: 'no phase' }],
    ['Planning: nothing', plan('Planning'), { turn: 'rest', because: 'Planning' }],
    ['Complete: terminal', plan('Complete', { approved: true }), { turn: 'rest', because: 'Complete' }],
    ['Failed: terminal', plan('Failed', { approved: true }), { turn: 'rest', because: 'Failed' }],
  ])('%s', (_why, one, turn) => {
    expect(nextTurn(one, [group('team')], NOW)).toEqual(turn);
  });

  it('InstallCheckFailed, then reason Unknown with empty message: goes through the very conditions that OLM recorded while a second group came and went', () => {
    const seen: string[] = [];
    let current = plan('RequiresApproval', { approved: true });
    const turnWith = (groups: OperatorGroup[]) => {
      const turn = nextTurn(current, groups, NOW);
      if ('status' in turn && turn.status !== undefined) current = { ...current, status: turn.status };
      const condition = current.status?.conditions?.[0];
      seen.push(
        `${turn.turn} ${current.status?.phase} ${condition?.status}/${condition?.reason}: ${condition?.message ?? ''}`,
      );
    };
    turnWith([group('team'), group('crew')]);
    for (let turn = 0; turn < 3; turn += 1) turnWith([group('team')]);
    expect(seen).toEqual([
      'rest RequiresApproval False/InstallCheckFailed: more than one operator group(s) are managing this namespace count=2',
      'write RequiresApproval False/Unknown: ',
      'write Installing False/Unknown: ',
      'execute Installing False/Unknown: ',
    ]);
  });

  it('says a failed check once, and asks for a retry each time', () => {
    const first = nextTurn(plan('Installing'), [], NOW);
    expect(first).toMatchObject({
      turn: 'rest',
      retry: true,
      status: { conditions: [{ lastTransitionTime: '2026-03-01T10:00:00Z' }] },
    });
    const status = 'status' in first && first.status !== undefined ? first.status : { phase: '', catalogSources: [] };
    expect(nextTurn(plan('Installing', { status }), [], '2026-03-01T11:00:00Z')).not.toHaveProperty('status');
  });

  it('status.attenuatedServiceAccountRef differs: it is stored and the sync ends. Stores the group’s account before it executes with it', () => {
    const groups = [group('a', { account: 'clerk', found: true })];
    const first = nextTurn(plan('Installing'), groups, NOW);
    expect(first).toMatchObject({ turn: 'write', status: { attenuatedServiceAccountRef: { name: 'clerk' } } });
    const status = first.turn === 'write' ? first.status : {};
    expect(nextTurn(plan('Installing', { status }), groups, NOW)).toMatchObject({
      turn: 'execute',
      actingAs: { name: 'clerk' },
    });
  });

  it('explains to the author of a hand-made plan how plans are made, and waits for the steps of one made by us', () => {
    const { status: _none, ...bare } = plan('');
    const reported = nextTurn(bare, [group('team')], NOW);
    expect(reported).toMatchObject({
      turn: 'rest',
      status: { conditions: [{ type: 'Installed', status: 'False', reason: 'PlanUnknown' }] },
    });
    const owner = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription', name: 'tug', uid: 'u' };
    const ours = { ...bare, metadata: { ...bare.metadata, ownerReferences: [owner] } };
    expect(nextTurn(ours, [group('team')], NOW)).toEqual({ turn: 'rest', because: 'its steps are not written yet' });
  });

  it('§6 revival: revives a failed plan after a change of rights only if it runs with another’s rights', () => {
    const widened = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'clerk', labels: { 'olm.managed': 'true' }, creationTimestamp: '2026-01-01T00:05:00Z' },
    };
    const attenuated = {
      attenuatedServiceAccountRef: { name: 'clerk' },
      startTime: '2026-01-01T00:00:00Z',
      conditions: [{ type: 'Installed', status: 'False', lastTransitionTime: '2026-01-01T00:01:00Z' }],
    };
    const failed = plan('Failed', { status: attenuated });
    const clerks = [group('a', { account: 'clerk', found: true })];
    expect(revivedByRights(failed, [widened], clerks)).toMatchObject({
      phase: 'Installing',
      startTime: '2026-01-01T00:00:00Z',
    });
    expect(revivedByRights(failed, [], clerks), 'nothing changed').toBeUndefined();
    expect(revivedByRights(plan('Failed'), [widened], clerks), 'it has no service account').toBeUndefined();
    expect(revivedByRights(plan('Complete', { status: attenuated }), [widened], clerks)).toBeUndefined();
  });
});

describe('§6 revival by the account of the group', () => {
  const failed = plan('Failed', { status: { attenuatedServiceAccountRef: { name: 'clerk' }, startTime: NOW } });

  it.each([
    { now: 'none', groups: [group('a')], as: undefined },
    { now: 'another', groups: [group('a', { account: 'cook', found: true })], as: { name: 'cook' } },
  ])('runs a failed plan again when its group names $now', ({ groups, as }) => {
    const revived = revivedByRights(failed, [], groups);
    expect(revived).toMatchObject({ phase: 'Installing', startTime: NOW });
    expect(revived?.attenuatedServiceAccountRef).toEqual(as && expect.objectContaining(as));
  });

  it.each([
    { groups: [group('a', { account: 'clerk', found: true })], because: 'the account is the same' },
    { groups: [group('a', { account: 'cook', found: false })], because: 'the account is not there' },
    { groups: [], because: 'there is no group' },
  ])('leaves it where it is: $because', ({ groups }) => {
    expect(revivedByRights(failed, [], groups)).toBeUndefined();
  });
});

describe('a plan that was refused because of stored versions', () => {
  const refusal = 'risk of data loss […] that is listed as a stored version on the existing CRD';
  const asking = (value?: string): OperatorGroup[] => [
    {
      apiVersion: 'operators.coreos.com/v1',
      kind: 'OperatorGroup',
      metadata: { name: 'g', ...(value && { annotations: { 'flotilla.dev/migrate-stored-versions': value } }) },
    },
  ];
  const refused = (status: Partial<InstallPlanStatus>): InstallPlan => ({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'InstallPlan',
    metadata: { name: 'install-1' },
    spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: [] },
    status: { phase: 'Failed', catalogSources: [], startTime: '2026-01-01T00:00:00Z', message: refusal, ...status },
  });

  it('starts anew once the group allows what it asked for', () => {
    expect(revivedByOptIn(refused({}), asking('true'))).toEqual({ phase: 'Installing', catalogSources: [] });
  });

  it.each<[why: string, status: Partial<InstallPlanStatus>, groups: OperatorGroup[]]>([
    ['the group does not say so', {}, asking()],
    ['the group says no', {}, asking('false')],
    ['there is no group', {}, []],
    ['it failed for another reason', { message: 'no way' }, asking('true')],
    ['it was refused even so', { message: `${refusal}. None of its versions is served` }, asking('true')],
    ['it has not failed', { phase: 'Installing' }, asking('true')],
  ])('stays as it is: %s', (_why, status, groups) => {
    expect(revivedByOptIn(refused(status), groups)).toBeUndefined();
  });
});
