import { describe, expect, it, vi } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE } from '#testing/patience';
import { madeCrd, madeDeployment } from '../integration/applier-support/made-operator.js';
import { operators } from './bad-input-fixture.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const RBAC = 'rbac.authorization.k8s.io';
const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', name: 'own' } as const;
const OPERATOR = { apiVersion: 'operators.coreos.com/v1', kind: 'Operator' } as const;

/** Checks of OLM's end-to-end suite that need a real API server. */
export function describeClassicSuite(cluster: () => KubeClient): void {
  const create = (object: KubernetesObject) => cluster().create(object);
  const namespace = (name: string, labels: Record<string, string> = {}) =>
    create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  const csv = (name: string, where: string): KubernetesObject => ({
    apiVersion: V1ALPHA1,
    kind: 'ClusterServiceVersion',
    metadata: { name: `${name}.v1.0.0`, namespace: where },
    spec: {
      displayName: name,
      version: '1.0.0',
      installModes: [{ type: 'OwnNamespace', supported: true }],
      install: { strategy: 'deployment', spec: { deployments: [madeDeployment(name, 'default')] } },
    },
  });

  const grant = async (name: string, where: string, resources: string[]) => {
    const metadata = { name, namespace: where };
    const rules = [{ apiGroups: ['*'], resources, verbs: ['*'] }];
    await create({ apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules });
    const subjects = [{ kind: 'ServiceAccount', name: 'clerk', namespace: where }];
    const roleRef = { apiGroup: RBAC, kind: 'Role', name };
    await create({ apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects });
  };

  describe('an install that the account of the group may not make', () => {
    const refused = async (where: string) => {
      await namespace(where);
      await create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'clerk', namespace: where } });
      await grant('reader', where, ['pods']);
      const { name, ...kind } = GROUP;
      const spec = { targetNamespaces: [where], serviceAccountName: 'clerk' };
      await create({ ...kind, metadata: { name, namespace: where }, spec });
      await create(csv('bolt', where));
      const reason = async () => {
        const found = await cluster().get({
          apiVersion: V1ALPHA1,
          kind: 'ClusterServiceVersion',
          name: 'bolt.v1.0.0',
          namespace: where,
        });
        return (found?.['status'] as { reason?: string } | undefined)?.reason;
      };
      await expect.poll(reason, PATIENCE).toBe('InstallComponentFailedNoRetry');
    };

    it('is made once the group names no account any more', async () => {
      await refused('account-removed');
      await cluster().patch({ ...GROUP, namespace: 'account-removed' }, { spec: { serviceAccountName: null } });
      await expect.poll(() => operators(cluster(), 'account-removed'), PATIENCE).toEqual(['bolt.v1.0.0 Succeeded']);
    });

    it('is made once a Role without a label allows it', async () => {
      await refused('rights-granted');
      await grant('more', 'rights-granted', ['*']);
      await expect.poll(() => operators(cluster(), 'rights-granted'), PATIENCE).toEqual(['bolt.v1.0.0 Succeeded']);
      const { status } = Object(
        await cluster().get({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'bolt', namespace: 'rights-granted' }),
      );
      expect(status?.observedGeneration, 'what the CSV remembers is no annotation of its Pods').toBe(1);
    });
  });

  it('an Operator that a user makes gathers what carries its label, and comes back while there is any', async () => {
    const label = { 'operators.coreos.com/mine': '' };
    const ref = { ...OPERATOR, name: 'mine' };
    type Found = { selector: unknown; refs: string[] } | undefined;
    const components = async (): Promise<Found> => {
      const { components: found } = Object((await cluster().get(ref))?.['status']);
      const refs: { kind: string; name: string }[] = found?.refs ?? [];
      return found && { selector: found.labelSelector, refs: refs.map(({ kind, name }) => `${kind} ${name}`) };
    };
    const account = (name: string, where: string) =>
      create({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name, namespace: where, labels: { ...label, 'olm.managed': 'true' } },
      });
    await create({ ...OPERATOR, metadata: { name: 'mine' }, spec: {} });
    const selector = { matchExpressions: [{ key: 'operators.coreos.com/mine', operator: 'Exists' }] };
    await expect.poll(components, PATIENCE).toEqual({ selector, refs: [] });
    await namespace('mine-a', label);
    await namespace('mine-b');
    await account('a', 'mine-a');
    await account('b', 'mine-b');
    const all = ['Namespace mine-a', 'ServiceAccount a', 'ServiceAccount b'];
    await expect.poll(components, PATIENCE).toEqual({ selector, refs: all });
    await cluster().patch(
      { apiVersion: 'v1', kind: 'ServiceAccount', name: 'b', namespace: 'mine-b' },
      { metadata: { labels: { 'operators.coreos.com/mine': null } } },
    );
    await expect.poll(components, PATIENCE).toEqual({ selector, refs: all.slice(0, 2) });
    await cluster().delete(ref);
    await expect.poll(components, PATIENCE).toEqual({ selector, refs: all.slice(0, 2) });
    await cluster().delete({ apiVersion: 'v1', kind: 'Namespace', name: 'mine-a' });
    await expect.poll(components, PATIENCE).toEqual({ selector, refs: [] });
    await cluster().delete(ref);
    await namespace('mine-c', { 'operators.coreos.com/other': '' });
    await expect.poll(() => cluster().get({ ...OPERATOR, name: 'other' }), PATIENCE).toBeDefined();
    expect(await cluster().get(ref)).toBeUndefined();
  });

  it('APIServices whose operator, or whole namespace, is gone are deleted, and others stay', async () => {
    await namespace('api-owner');
    const apiService = (group: string, owner: Record<string, string>): KubernetesObject => ({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1alpha1.${group}`, labels: { 'olm.managed': 'true', ...owner } },
      spec: {
        group,
        version: 'v1alpha1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { name: 'hats', namespace: 'api-owner' },
      },
    });
    const owned = (by: string) => ({
      'olm.owner': 'hats.v1',
      'olm.owner.kind': 'ClusterServiceVersion',
      'olm.owner.namespace': by,
    });
    await create(apiService('nobody.example.com', {}));
    await create(apiService('gone.example.com', owned('api-nowhere')));
    await create(apiService('orphan.example.com', owned('api-owner')));
    const left = async () => {
      const found = await cluster().list({ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' });
      const names = (found?.items ?? []).map(({ metadata }) => metadata.name ?? '');
      return names.filter((name) => name.endsWith('.example.com') && name.startsWith('v1alpha1.'));
    };
    await expect.poll(left, PATIENCE).toEqual(['v1alpha1.nobody.example.com']);
    await cluster().delete({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      name: 'v1alpha1.nobody.example.com',
    });
  });

  describe('a plan that a user writes', () => {
    const group = async (where: string, spec: Readonly<Record<string, unknown>> = {}) => {
      await namespace(where);
      const { name, ...kind } = GROUP;
      await create({ ...kind, metadata: { name, namespace: where }, spec: { targetNamespaces: [where], ...spec } });
    };
    /** Writes the status afterwards: an API server drops it from a new object. The hub may write it, too. */
    const write = async (name: string, where: string, manifests: readonly KubernetesObject[]) => {
      const spec = { approval: 'Automatic', approved: true, clusterServiceVersionNames: csvNames(manifests) };
      const plan = { apiVersion: V1ALPHA1, kind: 'InstallPlan' };
      await create({ ...plan, metadata: { name, namespace: where }, spec });
      const steps = manifests.map((manifest) => ({ resolving: '', resource: resourceOf(manifest), status: 'Unknown' }));
      const status = { phase: 'Installing', catalogSources: [], plan: steps };
      await vi.waitFor(async () => {
        const live = await cluster().get({ ...plan, name, namespace: where });
        if (live !== undefined) await cluster().updateStatus({ ...live, status });
      }, PATIENCE);
    };
    const csvNames = (manifests: readonly KubernetesObject[]) =>
      manifests.flatMap(({ kind, metadata }) => (kind === 'ClusterServiceVersion' ? [metadata.name] : []));
    const resourceOf = (manifest: KubernetesObject) => {
      const { apiVersion, kind, metadata } = manifest;
      const [version, group = ''] = apiVersion.split('/').reverse();
      const named = { group, version };
      return {
        ...{ ...named, kind, name: metadata.name, manifest: JSON.stringify(manifest) },
        ...{ sourceName: 'shelf', sourceNamespace: 'olm' },
      };
    };
    const planOf = async (name: string, where: string) =>
      Object((await cluster().get({ apiVersion: V1ALPHA1, kind: 'InstallPlan', name, namespace: where }))?.['status']);
    const completes = (name: string, where: string) =>
      expect.poll(async () => (await planOf(name, where)).phase, PATIENCE).toBe('Complete');

    it('gets live uids for the owners that its manifests name', async () => {
      const where = 'hand-made';
      await group(where);
      const { name = '', uid } = (await create(csv('nut', where))).object.metadata;
      const reference = { apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion', name };
      const metadata = { name: 'owned', ownerReferences: [{ ...reference, uid: '' }] };
      await write('by-hand', where, [{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
      const owners = async () =>
        (await cluster().get({ apiVersion: 'v1', kind: 'ConfigMap', name: 'owned', namespace: where }))?.metadata
          .ownerReferences;
      await expect.poll(owners, PATIENCE).toMatchObject([{ name, uid }]);
    });

    /** A manifest with only the version, which OLM accepts. */
    const crd = (kind: string): KubernetesObject => ({
      ...madeCrd({ kind, group: 'clerks.example.com' }, [{ name: 'v1', storage: true }]),
      apiVersion: 'v1',
    });
    const attenuated = async (where: string) => {
      await group(where, { serviceAccountName: 'clerk' });
      await create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'clerk', namespace: where } });
    };

    it('brings its CRD, and nothing else, where the account of the group may nothing', async () => {
      const where = 'hand-bound';
      await attenuated(where);
      await write('crd', where, [crd('Desk')]);
      await completes('crd', where);
      const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'till', namespace: where } };
      await write('service', where, [{ ...service, spec: { ports: [{ port: 12_345 }] } }]);
      await expect
        .poll(async () => (await planOf('service', where)).message ?? '', PATIENCE)
        .toContain('cannot create resource "services" in API group');
      expect(
        await cluster().get({ apiVersion: 'v1', kind: 'Service', name: 'till', namespace: where }),
      ).toBeUndefined();
      expect((await planOf('service', where)).plan).toMatchObject([{ status: 'Unknown' }]);
    });

    it('brings its CSV, too, where the account of the group may write that', async () => {
      const where = 'hand-granted';
      await attenuated(where);
      await grant('writer', where, ['clusterserviceversions']);
      await write('both', where, [csv('ledger', where), crd('Shelf')]);
      await completes('both', where);
      await write('again', where, [csv('ledger', where)]);
      await completes('again', where);
    });
  });
}
