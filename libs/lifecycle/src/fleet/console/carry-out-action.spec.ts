import { beforeEach, describe, expect, it } from 'vitest';
import type { OrderedExtension } from '#core/cluster/diagnosis/fleet-work';
import { OPERATOR_ANNOTATION } from '#core/cluster/marks/fleet-marks';
import type { ConsoleAction } from '#core/view/actions/console-action';
import type { Policy } from '#core/view/rights/console-policy';
import { rightsOf } from '#core/view/rights/rights';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { type ActionPlace, carryOutAction } from './carry-out-action.js';

const TARGET = { cluster: 'east', namespace: '', name: 'lamp' };
const EVERYWHERE = { labels: {}, clusters: ['*'], namespaces: ['*'], packages: ['*'] };
const operatorOf = (more: Partial<Policy['grants'][number]>): Policy => ({
  grants: [{ users: ['jane'], groups: [], role: 'operator', ...EVERYWHERE, ...more }],
});

let annotations: Record<string, string>;
let ordered: readonly OrderedExtension[];
let policy: Policy;
let patches: unknown[];
beforeEach(() => {
  [annotations, ordered, policy, patches] = [{}, [], operatorOf({}), []];
});

const extension = () => ({
  ...{ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension' },
  metadata: { name: 'lamp', resourceVersion: '3', annotations },
  spec: {
    ...{ namespace: 'lamps', serviceAccount: { name: 'lamp' } },
    source: { sourceType: 'Catalog', catalog: { packageName: 'lamp-operator' } },
  },
});
const plan = (phase: string) => ({
  ...{ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' },
  metadata: { name: 'install-1', namespace: 'lamps', resourceVersion: '7' },
  spec: { approval: 'Manual', approved: false, clusterServiceVersionNames: ['lamp.v2'], generation: 1 },
  status: { phase, catalogSources: [], plan: [] },
});
const subscription = {
  metadata: { name: 'lamp', namespace: 'lamps' },
  spec: { name: 'lamp-operator', source: 'samples', sourceNamespace: 'olm' },
  status: { currentCSV: 'lamp.v2' },
};
const revision = {
  ...{ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterObjectSet' },
  metadata: { name: 'lamp-1' },
  spec: { revision: 1, phases: [], lifecycleState: 'Archived' },
};

/** Carries an action out as Jane. The cluster has an extension, a failed plan and its Subscription. */
function act(more: Pick<ConsoleAction, 'verb'> & Partial<ConsoleAction>) {
  const client = {
    get: async ({ kind }: { kind: string }) => (kind === 'ClusterExtension' ? extension() : plan('Failed')),
    list: async ({ kind }: { kind: string }) => ({ items: kind === 'ClusterObjectSet' ? [revision] : [subscription] }),
    patch: async (_ref: object, patch: unknown) => void patches.push(patch),
  } as unknown as KubeClient;
  const rights = rightsOf(policy, { name: 'jane', groups: [] });
  const place: ActionPlace = {
    ...{ client, globalCatalogNamespace: 'olm', now: () => new Date(), signal: new AbortController().signal },
    ...{ note: () => undefined, touch: async () => undefined, ordered: async () => [] },
    orderedExtensions: async () => ordered,
    decide: (verb, where) => rights.decide(verb, where, () => ({})),
  };
  const target = more.verb === 'roll-back' ? TARGET : { ...TARGET, namespace: 'lamps', name: 'install-1' };
  const action = {
    v: 1,
    id: '7f9c3c0e-3f3f-4c44-8b8e-3e4b2f1d2c11',
    by: 'jane',
    at: 'now',
    targets: [target],
  } as const;
  return carryOutAction(place, { ...action, targets: [target], ...more }, target);
}

describe('a rollback of a ClusterExtension', () => {
  const rollBack = () => act({ verb: 'roll-back', revision: 1 });

  it('is done where the fleet does not hold it', async () => {
    ordered = [{ package: 'other-operator', namespace: 'lamps', operator: 'fleet/other', rollout: '' }];
    expect(await rollBack()).toMatchObject({ outcome: 'done' });
    expect(patches).toHaveLength(1);
  });

  it('is refused where orders of the fleet hold it, and names the FleetOperator', async () => {
    ordered = [{ package: 'lamp-operator', namespace: 'lamps', operator: 'fleet/lamp', rollout: 'fleet/lamp-2' }];
    const message = expect.stringContaining(
      'decided by rollouts of FleetOperator fleet/lamp (the last here: fleet/lamp-2)',
    );
    expect(await rollBack()).toEqual({ outcome: 'refused', message });
    expect(patches).toEqual([]);
  });

  it('is refused where annotations say so, though the hub has no orders', async () => {
    annotations = { [OPERATOR_ANNOTATION]: 'fleet/lamp' };
    expect(await rollBack()).toMatchObject({ outcome: 'refused' });
    expect(patches).toEqual([]);
  });

  it.each([
    ['another package', { packages: ['other-*'] }],
    ['another cluster', { clusters: ['west'] }],
    ['a lesser role', { role: 'approver' as const }],
  ])('is refused by the policy of the applier for who has %s', async (_what, more) => {
    policy = operatorOf(more);
    expect(await rollBack()).toMatchObject({
      outcome: 'refused',
      message: expect.stringMatching(/^the applier's policy: /),
    });
    expect(patches).toEqual([]);
  });
});

describe('a retry of a plan', () => {
  it('is for who may retry all packages that it moves', async () => {
    policy = operatorOf({ packages: ['lamp-operator'], namespaces: ['lamps'] });
    expect(await act({ verb: 'retry' })).toMatchObject({ outcome: 'done' });
    policy = operatorOf({ packages: ['harbor-*'] });
    expect(await act({ verb: 'retry' })).toMatchObject({ outcome: 'refused' });
    policy = operatorOf({ namespaces: ['harbors'] });
    expect(await act({ verb: 'retry' })).toMatchObject({ outcome: 'refused' });
    expect(patches).toHaveLength(1);
  });
});

it('an approval is for who may approve, whatever the plan is', async () => {
  policy = operatorOf({ role: 'viewer' });
  expect(await act({ verb: 'approve', planHash: 'x' })).toMatchObject({
    ...{ outcome: 'refused', message: expect.stringContaining('approve needs the role approver') },
  });
});
