import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diagnoseSubscription } from '#core/cluster/diagnosis/diagnose-subscription';
import { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { InstallPlan } from '#core/kernel/api/install-plan';
import { ApplierBench } from './applier-support/applier-bench.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const CSV = { apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion' } as const;
const PLAN = { apiVersion: V1ALPHA1, kind: 'InstallPlan' } as const;
const LIGHTHOUSE = 'lighthouse-operator.v1.0.0';

describe('a Subscription in a namespace that holds a copy of the CSV it asks for', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
  });
  afterAll(() => bench.stop());

  const plan = (namespace: string) =>
    bench.cluster
      .list({ ...PLAN, namespace })
      .map((one) => InstallPlan.parse(one))
      .toSorted((a, b) => (a.spec.generation ?? 0) - (b.spec.generation ?? 0))
      .at(-1);
  const csv = (namespace: string) => bench.csvs(namespace).find(({ metadata }) => metadata.name === LIGHTHOUSE);
  const warnings = (namespace: string) =>
    bench.cluster
      .list({ apiVersion: 'v1', kind: 'Event', namespace })
      .filter((event) => event['reason'] === 'CopyInPlace')
      .map((event) => event['message']);
  const diagnosis = (namespace: string) => {
    const [subscription] = bench.subscriptions(namespace);
    if (subscription === undefined) throw new Error('no Subscription');
    const groups = bench.cluster.list({ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', namespace });
    const sources = bench.cluster.list({ apiVersion: V1ALPHA1, kind: 'CatalogSource', namespace: 'olm' });
    const ready = { connectionState: { lastObservedState: 'READY' } };
    return diagnoseSubscription(subscription, {
      operatorGroups: groups as never,
      catalogSources: sources.map((source) => ({ ...source, status: ready })) as never,
      installPlans: [plan(namespace)].filter((one) => one !== undefined),
      csvs: bench.csvs(namespace),
    });
  };
  const replan = async (namespace: string) => {
    const name = plan(namespace)?.metadata.name ?? '';
    bench.cluster.edit({ ...PLAN, namespace, name }, ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, 'flotilla.dev/retry': 'replan' };
    });
    await bench.settle(namespace, () => plan(namespace)?.metadata.name !== name);
  };

  /**
   * The operator is installed in `home` for all namespaces; `namespace` has a group and a Subscription of its
   * own.
   */
  async function besideCopy(home: string, namespace: string): Promise<void> {
    bench.namespace(home, 'all');
    bench.namespace(namespace);
    bench.subscribe(home, 'lighthouse-operator');
    await bench.installed(home, LIGHTHOUSE);
    expect(csv(namespace)?.status?.reason).toBe('Copied');
    bench.subscribe(namespace, 'lighthouse-operator');
    await bench.settle(namespace, () => plan(namespace)?.status?.phase === 'Complete');
  }

  async function removed(home: string): Promise<void> {
    bench.cluster.delete({
      apiVersion: V1ALPHA1,
      kind: 'Subscription',
      name: 'lighthouse-operator',
      namespace: home,
    });
    bench.cluster.delete({ ...CSV, name: LIGHTHOUSE, namespace: home });
    await bench.settle(home, () => csv(home) === undefined);
  }

  it('installs nothing, as under OLM; an Event of the plan and the diagnosis say so', async () => {
    await besideCopy('home', 'mine');
    expect(warnings('mine')).toEqual([
      expect.stringMatching(
        /lighthouse-operator\.v1\.0\.0 in this namespace is a copy from namespace home: nothing is installed here/,
      ),
    ]);
    const { standing, because, todo } = diagnosis('mine');
    expect(standing).toBe('blocked');
    expect(because[0]).toContain('is a copy from namespace home; this Subscription installs nothing.');
    expect(todo.join('\n')).toContain('annotate operatorgroup mine-group flotilla.dev/replace-copied-csvs=true');
  });

  it('installs its own one where the group asks for it; then the rules of groups decide', async () => {
    bench.cluster.edit(
      { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', name: 'mine-group', namespace: 'mine' },
      ({ metadata }) => {
        metadata.annotations = { ...metadata.annotations, 'flotilla.dev/replace-copied-csvs': 'true' };
      },
    );
    await replan('mine');
    await bench.settle('mine', () => csv('mine')?.status?.phase === 'Failed');
    expect(csv('mine')?.status?.reason).toBe('InterOperatorGroupOwnerConflict');
    expect(csv('mine')?.metadata.labels).not.toHaveProperty('olm.copiedFrom');
    await bench.settle('home', () => true);
    expect(csv('mine')?.status?.reason, 'the other namespace does not make a copy of it again').toBe(
      'InterOperatorGroupOwnerConflict',
    );
    await removed('home');
    await bench.installed('mine', LIGHTHOUSE);
    expect(ClusterServiceVersion.parse(csv('mine')).metadata.annotations?.['olm.operatorNamespace']).toBe('mine');
    expect(diagnosis('mine').standing).toBe('well');
  });

  it('has a way out when the original of the copy goes', async () => {
    await removed('mine');
    await besideCopy('far', 'near');
    await removed('far');
    await bench.settle('near', () => csv('near') === undefined);
    const { standing, todo } = diagnosis('near');
    expect(standing).toBe('blocked');
    expect(todo).toEqual([
      `If the ClusterServiceVersion was deleted, or was a copy without an original, install it again: flotilla retry installplan ${plan('near')?.metadata.name} -n near --replan`,
    ]);
    await replan('near');
    await bench.installed('near', LIGHTHOUSE);
    expect(diagnosis('near').standing).toBe('well');
  });
});
