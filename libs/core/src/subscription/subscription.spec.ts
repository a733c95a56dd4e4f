import { describe, expect, it } from 'vitest';
import type { InstallPlan, InstallPlanStatus } from '../api/install-plan.js';
import type { Subscription, SubscriptionStatus } from '../api/subscription.js';
import { MOVES_ANNOTATION } from '../install-plan/plan-moves.js';
import { applyResolution } from './apply-resolution.js';
import { bookkeepSubscription, needsResolution, type SubscriptionSurroundings } from './bookkeep-subscription.js';
import { withDeprecations } from './deprecation-conditions.js';
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
const told = (status: SubscriptionStatus) =>
  (status.conditions ?? []).map(
    ({ type, status: holds, reason = '', message = '' }) => `${type} ${holds}/${reason}: ${message}`,
  );

describe('the condition on a Subscription’s plan', () => {
  const installed = (reason: string, message: string) => ({
    conditions: [{ type: 'Installed', status: 'False', reason, message }],
  });

  it.each<[why: string, plan: InstallPlan | undefined, conditions: string[]]>([
    ['not yet reconciled', plan(''), ['InstallPlanPending True/InstallPlanNotYetReconciled: ']],
    ['waits for approval', plan('RequiresApproval'), ['InstallPlanPending True/RequiresApproval: ']],
    [
      'waits because of two groups',
      plan('RequiresApproval', { status: installed('InstallCheckFailed', 'more than one operator group(s)') }),
      ['InstallPlanPending True/RequiresApproval: more than one operator group(s)'],
    ],
    ['is being installed', plan('Installing'), ['InstallPlanPending True/Installing: ']],
    [
      'failed for a reason',
      plan('Failed', { status: installed('InstallComponentFailed', 'no way') }),
      ['InstallPlanFailed True/InstallComponentFailed: no way'],
    ],
    ['failed for none', plan('Failed'), ['InstallPlanFailed True/InstallPlanFailed: ']],
    ['is complete', plan('Complete'), []],
    ['was deleted after success', undefined, ['InstallPlanMissing True/ReferencedInstallPlanNotFound: ']],
    [
      'waits for a bundle of OLM',
      plan('Installing', {
        status: {
          bundleLookups: [{ conditions: [{ type: 'BundleLookupPending', message: 'unpack job not yet started' }] }],
        },
      }),
      ['InstallPlanPending True/Installing: unpack job not yet started.'],
    ],
  ])('%s', (_why, one, conditions) => {
    const old = { type: 'InstallPlanFailed', status: 'True', reason: 'Old' };
    const before = { ...ref, state: 'AtLatestKnown', conditions: [old] };
    const change = withPlanConditions(subscription(before), one, NOW);
    expect(told(change.status)).toEqual(conditions);
    const again = withPlanConditions(subscription(change.status), one, '2026-02-02T00:00:00Z');
    expect([again.changed, again.status]).toEqual([false, change.status]);
  });

  it('is not there without a reference', () => {
    expect(withPlanConditions(subscription(), undefined, NOW).changed).toBe(false);
  });

  it.each<[why: string, conditions: { type: string; status: string }[]]>([
    ['with a condition, as OLM does', [{ type: 'InstallPlanPending', status: 'True' }]],
    ['without one, where OLM stalls', []],
  ])('gives way to a new resolution when the plan of a pending upgrade was deleted: %s', (_why, conditions) => {
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
  });
});

describe('the book of a Subscription', () => {
  const generated = { annotations: { 'olm.generated-by': 'install-1' } };
  const pending = { ...ref, state: 'UpgradePending', currentCSV: 'tug.v1' };

  it.each<[why: string, before: Subscription, world: SubscriptionSurroundings, expected: object | 'unchanged']>([
    ['nothing is known yet', subscription(), around(), 'unchanged'],
    [
      'one that a plan made takes over the plan',
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
    ['but not where that plan is gone', subscription({}, generated), around(), 'unchanged'],
    [
      'its CSV exists: installed, whatever the CSV’s phase',
      subscription(pending),
      around({ csvs: ['tug.v1'] }),
      { state: 'AtLatestKnown', installedCSV: 'tug.v1', currentCSV: 'tug.v1' },
    ],
    ['its CSV is not there yet', subscription(pending), around(), 'unchanged'],
    [
      'it was there and is gone: not installed again by itself',
      subscription({ ...ref, state: 'AtLatestKnown', currentCSV: 'tug.v1', installedCSV: 'tug.v1' }),
      around(),
      { state: 'UpgradePending', installedCSV: 'tug.v1' },
    ],
    [
      'a failed plan, and the group lets upgrades go on',
      subscription(pending),
      around({ plans: [plan('Failed')], failForward: true }),
      { state: 'UpgradeFailed' },
    ],
    ['a failed plan, and it does not', subscription(pending), around({ plans: [plan('Failed')] }), 'unchanged'],
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
  ])('asks for a resolution or not: %s', (_why, statuses, needed) => {
    expect(needsResolution(statuses.map((status) => subscription(status)))).toBe(needed);
  });
});

describe('what a resolution does to the Subscriptions', () => {
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
    expect(told(change?.status ?? {})).toEqual(conditions);
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
    expect(changes.map(({ status }) => told(status))).toEqual([
      ['ResolutionFailed True/ConstraintsNotSatisfiable: no tug'],
      [],
    ]);
  });

  it('moves those that a plan moves and frees all from their conditions', () => {
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
});

describe('deprecations', () => {
  const entry = (name: string, channel: string, deprecation?: string) => ({
    name,
    channel,
    version: '1.0.0',
    replaces: '',
    skips: [],
    skipRange: '',
    properties: [],
    source: { inline: 'sha256:0' },
    ...(deprecation === undefined ? {} : { deprecation }),
  });
  const record = {
    name: 'tug',
    defaultChannel: 'stable',
    deprecation: 'use barge',
    channelDeprecations: { stable: 'use fast' },
    entries: [entry('tug.v1', 'stable', 'broken'), entry('tug.v2', 'stable')],
  };
  const seen = (installedCSV: string, channel: string, of: typeof record | undefined = record) =>
    told(withDeprecations(subscription({ installedCSV }, {}, channel === '' ? {} : { channel }), of, NOW).status);

  it.each<[why: string, installed: string, channel: string, conditions: string[]]>([
    [
      'all three and their sum',
      'tug.v1',
      'stable',
      [
        'PackageDeprecated True/: olm.package/tug: use barge',
        'ChannelDeprecated True/: olm.channel/stable: use fast',
        'BundleDeprecated True/: olm.bundle/tug.v1: broken',
        'Deprecated True/: olm.package/tug: use barge; olm.channel/stable: use fast; olm.bundle/tug.v1: broken',
      ],
    ],
    [
      'a bundle that is fine',
      'tug.v2',
      'stable',
      [
        'PackageDeprecated True/: olm.package/tug: use barge',
        'ChannelDeprecated True/: olm.channel/stable: use fast',
        'Deprecated True/: olm.package/tug: use barge; olm.channel/stable: use fast',
      ],
    ],
    [
      'without a channel no channel is deprecated',
      'tug.v2',
      '',
      ['PackageDeprecated True/: olm.package/tug: use barge', 'Deprecated True/: olm.package/tug: use barge'],
    ],
    ['a bundle that the catalog does not list', 'tug.v9', 'stable', []],
  ])('%s', (_why, installed, channel, conditions) => {
    expect(seen(installed, channel)).toEqual(conditions);
  });

  it('go when the catalog takes them back, and stay when the catalog no longer knows the bundle', () => {
    const deprecated = withDeprecations(
      subscription({ installedCSV: 'tug.v1' }, {}, { channel: 'stable' }),
      record,
      NOW,
    ).status;
    const { deprecation: _package, channelDeprecations: _channels, ...rest } = record;
    const fine = { ...rest, entries: [entry('tug.v1', 'stable')] };
    const laterTold = (of: Parameters<typeof withDeprecations>[1]) =>
      told(withDeprecations(subscription(deprecated, {}, { channel: 'stable' }), of, NOW).status);
    expect(laterTold(fine)).toEqual([]);
    expect(laterTold({ ...rest, entries: [] })).toHaveLength(4);
    expect(laterTold(undefined)).toHaveLength(4);
  });
});
