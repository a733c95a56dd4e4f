import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADVICE } from '#core/cluster/advice/advice';
import { diagnoseInstallPlan } from '#core/cluster/diagnosis/diagnose-install-plan';
import { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OperatorGroup } from '#core/kernel/api/operator-group';
import { ApplierBench } from './applier-support/applier-bench.js';
import { madeCrd, offer } from './applier-support/made-operator.js';

const PLAN = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' } as const;
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'rbac.authorization.k8s.io/v1' } as const;

/** Attempts of a tenant, whose group names a service account, at definitions of others. */
describe('a bundle of a group whose service account has rights in its namespace only', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
  });
  afterAll(() => bench.stop());

  function limited(namespace: string): void {
    bench.namespace(namespace, [namespace], { serviceAccountName: 'weak' });
    bench.cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'weak', namespace } });
    bench.cluster.create({
      ...{ apiVersion: RBAC.version, kind: 'Role', metadata: { name: 'weak', namespace } },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
    });
    bench.cluster.create({
      ...{ apiVersion: RBAC.version, kind: 'RoleBinding', metadata: { name: 'weak', namespace } },
      roleRef: { apiGroup: RBAC.group, kind: 'Role', name: 'weak' },
      subjects: [{ kind: 'ServiceAccount', name: 'weak', namespace }],
    });
  }
  const planOf = (namespace: string) => InstallPlan.parse(bench.cluster.list({ ...PLAN, namespace })[0]);
  const advised = (namespace: string) => {
    const groups = bench.cluster.list({ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', namespace });
    return diagnoseInstallPlan(
      planOf(namespace),
      groups.map((group) => OperatorGroup.parse(group)),
    ).todo;
  };
  const spec = (crd: string) => bench.cluster.get({ ...CRD, name: crd })?.['spec'];
  const vault = (properties: object): KubernetesObject =>
    madeCrd({ kind: 'Vault', group: 'platform.example.com' }, [{ name: 'v1', storage: true, properties }]);
  const VAULTS = 'vaults.platform.example.com';

  it('does not replace a CRD that the platform installed, before the account may: then the plan goes on', async () => {
    bench.cluster.create(vault({ sealed: { type: 'boolean', enum: [true] } }));
    const before = spec(VAULTS);
    await offer(bench, 'thief', [{ version: '1.0.0', objects: [vault({ sealed: { type: 'boolean' } })] }]);
    limited('lim');
    bench.subscribe('lim', 'thief');
    await bench.settle('lim', () => (planOf('lim').status?.message ?? '') !== '');

    expect(spec(VAULTS)).toEqual(before);
    expect(planOf('lim').status).toMatchObject({
      phase: 'Installing',
      message: expect.stringMatching(
        /error updating CRD "vaults\.platform\.example\.com": .* is forbidden: User "system:serviceaccount:lim:weak" cannot update resource .* and no operator of namespace lim brought this CRD$/,
      ),
    });
    expect(bench.describe('lim')).toBe('thief.v1.0.0 Pending');
    expect(advised('lim')).toEqual([ADVICE.giveRights('lim/weak')]);

    const name = 'vaults-of-lim';
    bench.cluster.create({
      ...{ apiVersion: RBAC.version, kind: 'ClusterRole', metadata: { name } },
      rules: [{ apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['update'] }],
    });
    bench.cluster.create({
      ...{ apiVersion: RBAC.version, kind: 'ClusterRoleBinding', metadata: { name } },
      roleRef: { apiGroup: RBAC.group, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: 'weak', namespace: 'lim' }],
    });
    await bench.installed('lim', 'thief.v1.0.0');
    expect(JSON.stringify(spec(VAULTS))).not.toContain('enum');
  });

  it('installs its own CRD, upgrades it, and shares an equal one without being marked as its owner', async () => {
    const yacht = (properties: object) =>
      madeCrd({ kind: 'Yacht', group: 'own.example.com' }, [{ name: 'v1', storage: true, properties }]);
    const versions = [{ version: '1.0.0', objects: [yacht({ length: { type: 'integer' } })] }];
    await offer(bench, 'own', versions);
    for (const namespace of ['first', 'second']) {
      limited(namespace);
      bench.subscribe(namespace, 'own');
      await bench.installed(namespace, 'own.v1.0.0');
    }
    const owners = bench.cluster.get({ ...CRD, name: 'yachts.own.example.com' })?.metadata.annotations ?? {};
    expect(Object.values(owners)).toEqual(['first/own.v1.0.0']);

    await offer(bench, 'own', [
      ...versions,
      { version: '1.1.0', replaces: '1.0.0', objects: [yacht({ length: { type: 'string' } })] },
    ]);
    await bench.settle('second', () => bench.cluster.list({ ...PLAN, namespace: 'second' }).length > 1);
    expect(JSON.stringify(spec('yachts.own.example.com'))).toContain('integer');
    await bench.installed('first', 'own.v1.1.0');
    expect(JSON.stringify(spec('yachts.own.example.com'))).toContain('string');
    await bench.installed('second', 'own.v1.1.0');
  });

  it('does not replace a definition of OLM’s, nor does a group without an account; nothing of it is applied', async () => {
    const name = 'subscriptions.operators.coreos.com';
    const before = spec(name);
    const empty = madeCrd({ kind: 'Subscription', group: 'operators.coreos.com' }, [
      { name: 'v1alpha1', storage: true },
    ]);
    await offer(bench, 'usurper', [{ version: '1.0.0', objects: [empty] }]);
    limited('low');
    bench.namespace('high');
    for (const namespace of ['low', 'high']) {
      bench.subscribe(namespace, 'usurper');
      await bench.settle(namespace, () => planOf(namespace).status?.phase === 'Failed');
      expect(planOf(namespace).status?.message).toBe(
        `bundle usurper.v1.0.0: CustomResourceDefinition "${name}" defines an API of OLM or Flotilla, and no bundle may install or replace it. Nothing was applied`,
      );
      expect(advised(namespace)).toEqual([ADVICE.replanCorrected(namespace, planOf(namespace).metadata.name ?? '')]);
      expect(bench.csvs(namespace)).toEqual([]);
    }
    expect(spec(name)).toEqual(before);
  });

  it('does not have another kind written with the hub’s rights by calling its step a CRD’s', async () => {
    limited('forger');
    const metadata = { name: 'forged', namespace: 'forger' };
    bench.cluster.create({
      ...PLAN,
      metadata,
      spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: [] },
    });
    const binding = {
      ...{ apiVersion: RBAC.version, kind: 'ClusterRoleBinding', metadata: { name: 'forged' } },
      roleRef: { apiGroup: RBAC.group, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'weak', namespace: 'forger' }],
    };
    const resource = {
      ...{ group: 'apiextensions.k8s.io', version: 'v1', kind: CRD.kind, name: 'forged' },
      ...{ sourceName: '', sourceNamespace: '', manifest: JSON.stringify(binding) },
    };
    const plan = [{ resolving: '', status: 'Unknown', resource }];
    const status = { phase: 'Installing', catalogSources: [], plan };
    const made = InstallPlan.parse(bench.cluster.get({ ...PLAN, ...metadata }));
    await bench.client.updateStatus({ ...made, status });
    await bench.settle('forger', () => planOf('forger').status?.message !== undefined);
    expect(planOf('forger').status?.message).toContain('error parsing step manifest: forged');
    expect(bench.cluster.get({ apiVersion: RBAC.version, kind: 'ClusterRoleBinding', name: 'forged' })).toBeUndefined();
  });
});
