import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { forbidden } from '#testing/cluster/objects/refusal';
import { PATIENCE, PATIENCE_MS } from '#testing/patience';
import { ApplierBench } from '../integration/applier-support/applier-bench.js';
import type { Reads } from './reads.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const RBAC = 'rbac.authorization.k8s.io/v1';
const PLAN = { apiVersion: V1ALPHA1, kind: 'InstallPlan' } as const;
const CSV = 'lighthouse-operator.v1.0.0';
const RUNS = `${CSV} Succeeded`;
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'lighthouses.lighthouse.example.com',
} as const;

/**
 * Objects that a user deletes by mistake, as with OLM (spec: csv-lifecycle.md, subscriptions.md, recording
 * `drift`).
 */
export const describeDeletionsByHand = ({ how, cached }: Reads) =>
  describe(`objects that are deleted by hand (${how})`, () => {
    let bench: ApplierBench;
    beforeAll(async () => {
      bench = await ApplierBench.start({ cached });
    });
    afterAll(() => bench.stop());

    const install = async (namespace: string) => {
      bench.namespace(namespace);
      bench.subscribe(namespace, 'lighthouse-operator');
      await bench.installed(namespace, CSV);
    };
    /** Returns the first object with another name than the CSV: those with its name are of every operator. */
    const first = (namespace: string, apiVersion: string, kind: string, prefix = ''): ObjectRef => {
      const found = bench.cluster
        .list({ apiVersion, kind, namespace })
        .find(({ metadata }) => metadata.name.startsWith(prefix) && metadata.name !== CSV);
      if (found === undefined) throw new Error(`there is no ${kind} in ${namespace}`);
      return { apiVersion, kind, namespace, name: found.metadata.name };
    };
    const plans = (namespace: string) =>
      bench.cluster.list({ ...PLAN, namespace }).map((plan) => InstallPlan.parse(plan));
    const phases = (namespace: string) =>
      bench.csvs(namespace)[0]?.status?.conditions?.map(({ phase, reason }) => `${phase} ${reason}`);
    const settled = (namespace: string, wantedState: string) =>
      bench.settle(namespace, () => bench.describe(namespace) === wantedState);

    it('a Deployment comes back, by way of Failed', async () => {
      await install('deployment');
      const ref = first('deployment', 'apps/v1', 'Deployment');
      bench.cluster.delete(ref);
      await bench.settle(
        'deployment',
        () => bench.cluster.get(ref) !== undefined && bench.describe('deployment') === RUNS,
      );
      expect(phases('deployment')).toEqual(
        expect.arrayContaining(['Failed ComponentUnhealthy', 'Pending NeedsReinstall']),
      );
    });

    it.each([
      { kind: 'OperatorCondition', apiVersion: 'operators.coreos.com/v2', prefix: CSV },
      { kind: 'Role', apiVersion: RBAC, prefix: CSV, because: 'for its OperatorCondition' },
      { kind: 'RoleBinding', apiVersion: RBAC, prefix: CSV, because: 'for its OperatorCondition' },
    ])('a $kind that every operator gets comes back', async ({ kind, apiVersion }) => {
      const namespace = `own-${kind.toLowerCase()}`;
      await install(namespace);
      const ref = { apiVersion, kind, namespace, name: CSV };
      bench.cluster.delete(ref);
      await bench.settle(namespace, () => bench.cluster.get(ref) !== undefined);
      expect(bench.describe(namespace)).toBe(RUNS);
    });

    it('the Operator comes back', async () => {
      await install('operator');
      const ref = { apiVersion: 'operators.coreos.com/v1', kind: 'Operator', name: 'lighthouse-operator.operator' };
      bench.cluster.delete(ref);
      await bench.settle('operator', () => bench.cluster.get(ref) !== undefined);
    });

    it.each([
      { kind: 'ServiceAccount', apiVersion: 'v1', prefix: 'lighthouse' },
      { kind: 'Role', apiVersion: RBAC, prefix: 'lighthouse-operator.v' },
      { kind: 'RoleBinding', apiVersion: RBAC, prefix: 'lighthouse-operator.v' },
    ])('a $kind of the plan is missed, and stays away: the operator goes on once a user puts it back', async (row) => {
      const namespace = `plan-${row.kind.toLowerCase()}`;
      await install(namespace);
      const ref = first(namespace, row.apiVersion, row.kind, row.prefix);
      const before = bench.cluster.get(ref);
      bench.cluster.delete(ref);
      await settled(namespace, `${CSV} Pending`);
      expect(phases(namespace)).toContain('Failed RequirementsNotMet');
      expect(bench.csvs(namespace)[0]?.status).toMatchObject({ reason: 'RequirementsNotMet' });
      expect(bench.cluster.get(ref)).toBeUndefined();
      expect(plans(namespace).map(({ status }) => status?.phase)).toEqual(['Complete']);
      if (before === undefined) throw new Error('it was not there');
      bench.cluster.create(asNew(before));
      await settled(namespace, RUNS);
    });

    it('the CSV goes with all that it owns, and the Subscription waits for it, as in OLM', async () => {
      await install('csv');
      bench.cluster.delete({ apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion', namespace: 'csv', name: CSV });
      const inCluster = () =>
        bench.cluster
          .list({ apiVersion: RBAC, kind: 'ClusterRole' })
          .filter(({ metadata }) => isOf('csv')({ metadata }) && metadata.labels?.['olm.owner'] === CSV);
      const inNamespace = () => bench.cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'csv' });
      const left = () => [...bench.csvs('csv'), ...inCluster(), ...inNamespace()];
      for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; ) {
        await bench.pass('csv');
        if (left().length === 0) break;
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(left()).toEqual([]);
      await bench.settle('csv', () => bench.subscriptions('csv')[0]?.status?.state === 'UpgradePending');
      expect(bench.csvs('csv')).toEqual([]);
    });

    it('a ServiceAccount, just before it gets its label: the pass does not fail', async () => {
      await install('unlabelled');
      const ref = first('unlabelled', 'v1', 'ServiceAccount', 'lighthouse');
      bench.cluster.edit(ref, ({ metadata }) => {
        metadata.labels = {};
      });
      onTestFinished(() => {
        bench.cluster.lossOf = () => undefined;
      });
      bench.cluster.lossOf = ({ verb, resource }) => {
        const label = verb === 'patch' && resource === 'serviceaccounts';
        if (label && bench.cluster.get(ref) !== undefined) bench.cluster.delete(ref);
        return undefined;
      };
      await bench.pass('unlabelled');
      expect(bench.cluster.get(ref)).toBeUndefined();
    });

    it('the Subscription: the operator stays, its plan goes', async () => {
      await install('subscription');
      bench.cluster.delete({
        apiVersion: V1ALPHA1,
        kind: 'Subscription',
        namespace: 'subscription',
        name: 'lighthouse-operator',
      });
      await bench.settle('subscription', () => plans('subscription').length === 0);
      expect(bench.describe('subscription')).toBe(RUNS);
    });

    it('a plan that waits for approval: another is made', async () => {
      bench.namespace('waiting');
      bench.subscribe('waiting', 'lighthouse-operator', 'Manual');
      await bench.settle('waiting', () => plans('waiting')[0]?.status?.phase === 'RequiresApproval');
      const [old] = plans('waiting');
      bench.cluster.delete({ ...PLAN, namespace: 'waiting', name: old?.metadata.name ?? '' });
      await bench.settle('waiting', () => plans('waiting')[0]?.status?.phase === 'RequiresApproval');
      expect(plans('waiting').map(({ metadata }) => metadata.uid)).not.toContain(old?.metadata.uid);
    });

    it('the CRD is missed; put back by hand, the operator goes on', async () => {
      await install('crd');
      const before = bench.cluster.get(CRD);
      bench.cluster.delete(CRD);
      await settled('crd', `${CSV} Pending`);
      expect(phases('crd')).toContain('Failed RequirementsNotMet');
      if (before === undefined) throw new Error('it was not there');
      bench.cluster.create(asNew(before));
      await settled('crd', RUNS);
    });

    describe('while the install is under way', () => {
      /**
       * Holds the install at the plan's step that makes a RoleBinding, carries out the user's action, and
       * then releases it.
       */
      const inTheMiddle = async (namespace: string, deed: () => void) => {
        bench.namespace(namespace);
        bench.subscribe(namespace, 'lighthouse-operator');
        const refusal = forbidden({ group: RBAC, resource: 'rolebindings' }, 'it', 'wait');
        const release = bench.cluster.failAll({ verb: 'create', resource: 'rolebindings', namespace }, refusal);
        onTestFinished(release);
        await bench.settle(namespace, () => plans(namespace)[0]?.status?.message !== undefined).catch(() => undefined);
        expect(plans(namespace)[0]?.status?.message).toMatch(/^retrying execution .*is forbidden: wait/);
        deed();
        release();
      };

      it('the plan: the hub makes another one, which brings the rest', async () => {
        let deleted = '';
        await inTheMiddle('halfway-plan', () => {
          const ref = first('halfway-plan', V1ALPHA1, 'InstallPlan');
          deleted = bench.cluster.get(ref)?.metadata.uid ?? '';
          bench.cluster.delete(ref);
        });
        await settled('halfway-plan', RUNS);
        expect(plans('halfway-plan').map(({ metadata }) => metadata.uid)).not.toContain(deleted);
        expect(plans('halfway-plan').map(({ status }) => status?.phase)).toEqual(['Complete']);
      });

      it('the CSV: the plan ends, as the CSV waits to be cleaned up after, and all that it had made goes with it', async () => {
        const namespace = 'halfway-csv';
        await inTheMiddle(namespace, () => {
          bench.cluster.delete({ apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion', namespace, name: CSV });
        });
        const left = () =>
          ['Role', 'RoleBinding'].flatMap((kind) =>
            bench.cluster.list({ apiVersion: RBAC, kind, namespace }).map(({ metadata }) => metadata.name),
          );
        await bench.settle(namespace, () => bench.csvs(namespace).length === 0 && left().length === 0);
        expect(plans(namespace).map(({ status }) => status?.phase)).toEqual(['Complete']);
        expect(bench.cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace })).toEqual([]);
        await bench.settle(namespace, () => bench.subscriptions(namespace)[0]?.status?.state === 'UpgradePending');
        expect(bench.csvs(namespace)).toEqual([]);
      });

      it.each([
        { kind: 'ServiceAccount', apiVersion: 'v1', prefix: 'lighthouse' },
        { kind: 'Role', apiVersion: RBAC, prefix: 'lighthouse-operator.v' },
        { kind: 'CustomResourceDefinition', apiVersion: CRD.apiVersion, prefix: CRD.name },
      ])('a $kind: its step is done, so the CSV waits for it until a user puts it back', async (row) => {
        const namespace = `halfway-${row.kind.toLowerCase()}`;
        const gone: KubernetesObject[] = [];
        const ref = () => (row.kind === CRD.kind ? CRD : first(namespace, row.apiVersion, row.kind, row.prefix));
        await inTheMiddle(namespace, () => {
          const found = bench.cluster.get(ref());
          if (found !== undefined) gone.push(found);
          bench.cluster.delete(ref());
        });
        await bench.settle(namespace, () => plans(namespace)[0]?.status?.phase === 'Complete');
        await settled(namespace, `${CSV} Pending`);
        expect(bench.csvs(namespace)[0]?.status).toMatchObject({ reason: 'RequirementsNotMet' });
        expect(gone).toHaveLength(1);
        for (const object of gone) bench.cluster.create(asNew(object));
        await settled(namespace, RUNS);
      });

      it('the Subscription: its plan goes, and what was made stays', async () => {
        await inTheMiddle('halfway-subscription', () => {
          bench.cluster.delete(first('halfway-subscription', V1ALPHA1, 'Subscription'));
        });
        // The garbage collector comes before the next pass.
        await expect.poll(() => plans('halfway-subscription'), PATIENCE).toEqual([]);
        await bench.settle('halfway-subscription', () => plans('halfway-subscription').length === 0);
        expect(bench.describe('halfway-subscription')).toBe(`${CSV} Pending`);
      });

      it('the namespace: all of it goes, also at cluster level; made anew it gets its operator anew', async () => {
        await inTheMiddle('halfway-namespace', () =>
          bench.cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'halfway-namespace' }),
        );
        const there = () => bench.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: 'halfway-namespace' });
        await bench.settle('halfway-namespace', () => there() === undefined);
        const left = ['ClusterRole', 'ClusterRoleBinding'].flatMap((kind) =>
          bench.cluster.list({ apiVersion: RBAC, kind }).filter(isOf('halfway-namespace')),
        );
        expect(left.map(({ metadata }) => metadata.name)).toEqual([]);
        await install('halfway-namespace');
      });
    });
  });

const asNew = ({ metadata, status: _status, ...rest }: KubernetesObject): KubernetesObject => {
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...kept } = metadata;
  return { ...rest, metadata: kept };
};

const isOf =
  (namespace: string) =>
  ({ metadata }: Readonly<{ metadata: Readonly<{ labels?: Readonly<Record<string, string>> | undefined }> }>) =>
    metadata.labels?.['olm.owner.namespace'] === namespace;
