import { describe, expect, it } from 'vitest';
import type { InstallPlan, InstallPlanStatus } from '../../kernel/api/install-plan.js';
import type { Subscription, SubscriptionStatus } from '../../kernel/api/subscription.js';
import { MOVES_ANNOTATION } from '../install-plan/plan/plan-moves.js';
import { applyPlanned, applyResolution } from './apply-resolution.js';
import { bookkeepSubscription, needsResolution, type SubscriptionSurroundings } from './bookkeep-subscription.js';
import { withPlanConditions } from './install-plan-conditions.js';

const NOW = '2026-01-01T00:00:00Z';
const subscription = (
  status: SubscriptionStatus = {},
  more: Record<string, unknown> = {},
  spec: object = {},
): Subscription => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'tug', namespace: 'harbour', uid: 'sub-uid', ...more },
  spec: { name: 'tug', source: 'shelf', sourceNamespace: 'olm', ...spec },
  status,
});
const plan = (
  phase: string,
  more: { status?: Partial<InstallPlanStatus>; metadata?: object; generation?: number } = {},
): InstallPlan => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  metadata: { name: 'install-1', namespace: 'harbour', uid: 'plan-uid', resourceVersion: '9', ...more.metadata },
  spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: [], generation: more.generation ?? 1 },
  status: { phase, catalogSources: [], ...more.status },
});
const ref = {
  installPlanRef: { name: 'install-1' },
  installplan: { apiVersion: 'a', kind: 'InstallPlan', name: 'install-1', uuid: 'plan-uid' },
};
const around = (
  more: { csvs?: string[]; plans?: InstallPlan[]; failForward?: boolean } = {},
): SubscriptionSurroundings => ({
  csvs: new Set(more.csvs ?? []),
  plans: new Map((more.plans ?? []).map((one) => [one.metadata.name ?? '', one])),
  failForward: more.failForward ?? false,
});
const reported = (status: SubscriptionStatus) =>
  (status.conditions ?? []).map(
    ({ type, status: holds, reason = '', message = '' }) => `${type} ${holds}/${reason}: ${message}`,
  );

describe('subscriptions.md §4, Install plan', () => {
  const installed = (reason: string, message: string) => ({
    conditions: [{ type: 'Installed', status: 'False', reason, message }],
  });

  it.each<[why: string, plan: InstallPlan | undefined, conditions: string[]]>([
    ['plan phase `` → InstallPlanPending', plan(''), ['InstallPlanPending True/InstallPlanNotYetReconciled: ']],
    ['plan phase Planning → InstallPlanPending', plan('Planning'), ['InstallPlanPending True/Planning: ']],
    [
      'plan phase RequiresApproval → InstallPlanPending',
      plan('RequiresApproval'),
      ['InstallPlanPending True/RequiresApproval: '],
    ],
    [
      'message: the plan’s Installed condition message',
      plan('RequiresApproval', { status: installed('InstallCheckFailed', 'more than one operator group(s)') }),
      ['InstallPlanPending True/RequiresApproval: more than one operator group(s)'],
    ],
    ['plan phase Installing → InstallPlanPending', plan('Installing'), ['InstallPlanPending True/Installing: ']],
    [
      'plan phase Installing, and a step is tried again → InstallPlanPending says why',
      plan('Installing', { status: { message: 'retrying execution due to error: no' } }),
      ['InstallPlanPending True/Installing: retrying execution due to error: no'],
    ],
    [
      'plan phase Failed → InstallPlanFailed, reason of its Installed=False',
      plan('Failed', { status: installed('InstallComponentFailed', 'no way') }),
      ['InstallPlanFailed True/InstallComponentFailed: no way'],
    ],
    [
      'plan phase Failed → InstallPlanFailed, reason InstallPlanFailed',
      plan('Failed'),
      ['InstallPlanFailed True/InstallPlanFailed: '],
    ],
    ['plan phase Complete → none of the three', plan('Complete'), []],
    ['plan not found → InstallPlanMissing', undefined, ['InstallPlanMissing True/ReferencedInstallPlanNotFound: ']],
    [
      'message: else the BundleLookupPending messages joined, each followed by a full stop',
      plan('Installing', {
        status: {
          bundleLookups: ['unpack job not yet started', 'unpack job not completed'].map((message) => ({
            conditions: [
              { type: 'BundleLookupNotPersisted', message: 'bundle contents have not yet been persisted' },
              { type: 'BundleLookupPending', message },
            ],
          })),
        },
      }),
      ['InstallPlanPending True/Installing: unpack job not yet started. unpack job not completed.'],
    ],
  ])('%s', (_why, one, conditions) => {
    const old = { type: 'InstallPlanFailed', status: 'True', reason: 'Old' };
    const before = { ...ref, state: 'AtLatestKnown', conditions: [old] };
    const change = withPlanConditions(subscription(before), one, NOW);
    expect(reported(change.status)).toEqual(conditions);
    const again = withPlanConditions(subscription(change.status), one, '2026-02-02T00:00:00Z');
    expect([again.changed, again.status]).toEqual([false, change.status]);
  });

  it('needs installPlanRef', () => {
    expect(withPlanConditions(subscription(), undefined, NOW).changed).toBe(false);
  });

  it.each<[why: string, conditions: { type: string; status: string }[]]>([
    ['with a condition, as OLM does', [{ type: 'InstallPlanPending', status: 'True' }]],
    ['without one, where OLM stalls', []],
  ])(
    '§3 UpgradePending, referenced plan deleted → `` with installPlanRef, installplan, currentCSV cleared: %s',
    (_why, conditions) => {
      const before = {
        ...ref,
        state: 'UpgradePending',
        currentCSV: 'tug.v2',
        installedCSV: 'tug.v1',
        installPlanGeneration: 3,
        conditions,
      };
      const { status } = withPlanConditions(subscription(before), undefined, NOW);
      expect(status).toEqual({ installedCSV: 'tug.v1', installPlanGeneration: 3, conditions: [], lastUpdated: NOW });
      expect(needsResolution([subscription(status)])).toBe(true);
    },
  );
});

describe('subscriptions.md §2.4 and §3, states', () => {
  const generated = { annotations: { 'olm.generated-by': 'install-1' } };
  const pending = { ...ref, state: 'UpgradePending', currentCSV: 'tug.v1' };

  it.each<[why: string, before: Subscription, world: SubscriptionSurroundings, expected: object | 'unchanged']>([
    ['§2.4b currentCSV empty → nothing', subscription(), around(), 'unchanged'],
    [
      '§2.4a olm.generated-by: both refs, UpgradePending, currentCSV = spec.startingCSV',
      subscription({}, generated, { startingCSV: 'tug.v1' }),
      around({ plans: [plan('Installing')] }),
      {
        state: 'UpgradePending',
        currentCSV: 'tug.v1',
        installPlanRef: { name: 'install-1', uid: 'plan-uid' },
        installplan: { uuid: 'plan-uid' },
      },
    ],
    [
      'and is installed at once where the plan has made its CSV already',
      subscription({}, generated, { startingCSV: 'tug.v1' }),
      around({ plans: [plan('Installing')], csvs: ['tug.v1'] }),
      { state: 'AtLatestKnown', currentCSV: 'tug.v1', installedCSV: 'tug.v1', installPlanRef: { name: 'install-1' } },
    ],
    [
      '§2.4a fail-forward and the plan is Failed: UpgradeFailed',
      subscription({}, generated, { startingCSV: 'tug.v1' }),
      around({ plans: [plan('Failed')], failForward: true }),
      { state: 'UpgradeFailed', currentCSV: 'tug.v1' },
    ],
    ['but not where that plan is gone', subscription({}, generated), around(), 'unchanged'],
    [
      'UpgradePending | CSV named currentCSV exists → AtLatestKnown, installedCSV = currentCSV',
      subscription(pending),
      around({ csvs: ['tug.v1'] }),
      { state: 'AtLatestKnown', installedCSV: 'tug.v1', currentCSV: 'tug.v1' },
    ],
    ['UpgradePending | CSV named currentCSV missing → UpgradePending', subscription(pending), around(), 'unchanged'],
    [
      'AtLatestKnown | current CSV object deleted → UpgradePending',
      subscription({ ...ref, state: 'AtLatestKnown', currentCSV: 'tug.v1', installedCSV: 'tug.v1' }),
      around(),
      { state: 'UpgradePending', installedCSV: 'tug.v1' },
    ],
    [
      'UpgradePending | plan Failed, strategy fail-forward → UpgradeFailed',
      subscription(pending),
      around({ plans: [plan('Failed')], failForward: true }),
      { state: 'UpgradeFailed' },
    ],
    [
      'UpgradePending | plan Failed, no fail-forward → UpgradePending',
      subscription(pending),
      around({ plans: [plan('Failed')] }),
      'unchanged',
    ],
    [
      'all is well',
      subscription({ ...pending, state: 'AtLatestKnown', installedCSV: 'tug.v1' }),
      around({ csvs: ['tug.v1'] }),
      'unchanged',
    ],
  ])('%s', (_why, before, world, expected) => {
    const change = bookkeepSubscription(before, world, NOW);
    if (expected === 'unchanged') expect(change.changed).toBe(false);
    else expect(change).toMatchObject({ changed: true, status: { ...expected, lastUpdated: NOW } });
  });

  describe('after a pass that was ended between making a plan and saying so', () => {
    const steps = {
      plan: [
        {
          resolving: 'tug.v2',
          status: 'Unknown',
          resource: { sourceName: 's', sourceNamespace: 'olm', group: '', version: 'v1', kind: 'Role', name: 'r' },
        },
      ],
    };
    const owner = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription', name: 'tug', uid: 'sub-uid' };
    const moving = (more: { generation?: number; annotation?: string; uid?: string; status?: object } = {}) =>
      plan('Installing', {
        generation: more.generation ?? 2,
        status: more.status ?? steps,
        metadata: {
          annotations: { [MOVES_ANNOTATION]: more.annotation ?? '{"tug":"tug.v2"}' },
          ownerReferences: [{ ...owner, uid: more.uid ?? owner.uid }],
        },
      });
    const before = subscription({
      ...ref,
      state: 'AtLatestKnown',
      currentCSV: 'tug.v1',
      installedCSV: 'tug.v1',
      installPlanGeneration: 1,
    });

    it('says so', () => {
      const change = bookkeepSubscription(before, around({ csvs: ['tug.v1'], plans: [moving()] }), NOW);
      expect(change).toMatchObject({
        changed: true,
        status: { state: 'UpgradePending', currentCSV: 'tug.v2', installedCSV: 'tug.v1', installPlanGeneration: 2 },
      });
    });

    it.each<[why: string, plan: InstallPlan]>([
      ['it knows the plan', moving({ generation: 1 })],
      ['the plan moves another', moving({ annotation: '{"dock":"dock.v1"}' })],
      ['the plan was made for one of the same name that is gone', moving({ uid: 'older' })],
      ['the plan has no steps yet', moving({ status: {} })],
      ['the note was spoilt by hand', moving({ annotation: 'tug' })],
    ])('says nothing when %s', (_why, one) => {
      expect(bookkeepSubscription(before, around({ csvs: ['tug.v1'], plans: [one] }), NOW).changed).toBe(false);
    });
  });

  it.each<[why: string, statuses: SubscriptionStatus[], needed: boolean]>([
    ['nobody is there', [], false],
    ['all wait for their plan', [pending, pending], false],
    ['one does not', [pending, { ...pending, state: 'AtLatestKnown' }], true],
    ['one is new', [pending, {}], true],
    ['one may go on past a failed plan', [{ ...pending, state: 'UpgradeFailed' }], true],
  ])('§2.5 asks for a resolution or not: %s', (_why, statuses, needed) => {
    expect(needsResolution(statuses.map((status) => subscription(status)))).toBe(needed);
  });
});

describe('subscriptions.md §2.6 – §2.9, what a resolution does to the Subscriptions', () => {
  const stuck = { type: 'ResolutionFailed', status: 'True', reason: 'ErrorPreventedResolution', message: 'old' };
  const unpacking = { type: 'BundleUnpacking', status: 'True', reason: 'UnpackingInProgress' };

  it.each<[why: string, effect: Parameters<typeof applyResolution>[1], conditions: string[]]>([
    [
      'unsatisfiable',
      {
        effect: 'failed',
        resolution: { result: 'unsatisfiable', message: 'constraints not satisfiable: x', explanation: [], advice: '' },
      },
      [
        'ResolutionFailed True/ConstraintsNotSatisfiable: constraints not satisfiable: x',
        'BundleUnpacking True/UnpackingInProgress: ',
      ],
    ],
    [
      'an error',
      { effect: 'failed', resolution: { result: 'error', message: 'catalog gone', advice: '' } },
      ['ResolutionFailed True/ErrorPreventedResolution: catalog gone', 'BundleUnpacking True/UnpackingInProgress: '],
    ],
    ['nothing to do', { effect: 'settled' }, []],
    [
      'bundles cannot be fetched',
      { effect: 'unpackFailed', reason: 'BundleUnpackFailed', message: 'no such image' },
      [
        'ResolutionFailed True/ErrorPreventedResolution: old',
        'BundleUnpackFailed True/BundleUnpackFailed: no such image',
      ],
    ],
    [
      'bundles are on their way: nothing new',
      { effect: 'unpacking' },
      ['ResolutionFailed True/ErrorPreventedResolution: old', 'BundleUnpacking True/UnpackingInProgress: '],
    ],
  ])('%s', (_why, effect, conditions) => {
    const [change] = applyResolution([subscription({ conditions: [stuck, unpacking] })], effect, NOW);
    expect(reported(change?.status ?? {})).toEqual(conditions);
    expect(change?.status.conditions?.every(({ lastTransitionTime }) => lastTransitionTime === undefined)).toBe(true);
  });

  it('writes nothing when the same failure is met again', () => {
    const [change] = applyResolution(
      [subscription({ conditions: [stuck] })],
      { effect: 'failed', resolution: { result: 'error', message: 'old', advice: '' } },
      NOW,
    );
    expect(change?.changed).toBe(false);
  });

  it('leaves the failure to the Subscription that a resolution left out, and frees its neighbours', () => {
    const neighbour = subscription({ conditions: [stuck] }, { name: 'dock' });
    const leftOut = {
      kind: 'subscription',
      name: 'tug',
      reason: 'ConstraintsNotSatisfiable',
      message: 'no tug',
      explanation: [],
      advice: '',
    } as const;
    const resolution = {
      result: 'resolved',
      chosen: [],
      subscriptionsCreated: [],
      subscriptionsUpdated: [],
      unresolved: [leftOut],
    } as const;
    const changes = applyResolution([subscription({}), neighbour], { effect: 'settled', resolution }, NOW);
    expect(changes.map(({ status }) => reported(status))).toEqual([
      ['ResolutionFailed True/ConstraintsNotSatisfiable: no tug'],
      [],
    ]);
  });

  it('§3 plan created → UpgradePending (installedCSV keeps the old name): moves those that a plan moves and frees all from their conditions', () => {
    const neighbour = subscription({ conditions: [stuck], state: 'AtLatestKnown' }, { name: 'dock' });
    const effect = {
      effect: 'planned',
      plan: plan('Installing', { generation: 4 }),
      resolution: {
        result: 'resolved',
        chosen: [],
        subscriptionsCreated: [],
        subscriptionsUpdated: [{ name: 'tug', currentCSV: 'tug.v2' }],
      },
    } as const;
    const [moved, other] = applyResolution(
      [subscription({ installedCSV: 'tug.v1', conditions: [unpacking] }), neighbour],
      effect,
      NOW,
    );
    expect(moved?.status).toEqual({
      installedCSV: 'tug.v1',
      currentCSV: 'tug.v2',
      state: 'UpgradePending',
      installPlanGeneration: 4,
      installPlanRef: {
        apiVersion: 'operators.coreos.com/v1alpha1',
        kind: 'InstallPlan',
        name: 'install-1',
        namespace: 'harbour',
        uid: 'plan-uid',
        resourceVersion: '9',
      },
      installplan: {
        apiVersion: 'operators.coreos.com/v1alpha1',
        kind: 'InstallPlan',
        name: 'install-1',
        uuid: 'plan-uid',
      },
      conditions: [],
      lastUpdated: NOW,
    });
    expect(other?.status).toEqual({ state: 'AtLatestKnown', conditions: [], lastUpdated: NOW });
  });

  it('§4 gets the condition on a new plan with the reference to it, where the plan moves it', () => {
    const neighbour = subscription({ state: 'AtLatestKnown' }, { name: 'dock' });
    const resolution = {
      result: 'resolved',
      chosen: [],
      subscriptionsCreated: [],
      subscriptionsUpdated: [{ name: 'tug', currentCSV: 'tug.v2' }],
    } as const;
    const made = plan('RequiresApproval');
    const [moved, other] = applyPlanned([subscription({}), neighbour], { resolution, plan: made }, NOW);
    expect(moved?.status).toMatchObject({ state: 'UpgradePending', installPlanRef: { name: 'install-1' } });
    expect(reported(moved?.status ?? {})).toEqual(['InstallPlanPending True/RequiresApproval: ']);
    expect(moved?.status, 'what bookkeeping would write next').toEqual(
      withPlanConditions({ ...subscription({}), status: moved?.status ?? {} }, made, NOW).status,
    );
    expect(other?.changed).toBe(false);
  });
});
