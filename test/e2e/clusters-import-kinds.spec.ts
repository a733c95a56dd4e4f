import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ClusterSources } from '#lifecycle/clusters/sources/cluster-sources';
import { SystemClock } from '#platform/clock/system-clock';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { SecretClusters } from '#platform/fleet/secret-clusters';
import { loadClusters, readAccess } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { silentLog } from '#platform/telemetry/log.port';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';

const MEMBERS = { apiVersion: FLEET_API, kind: 'FleetCluster' } as const;

type Published = Readonly<{
  group: string;
  plural: string;
  kind: string;
  scope: 'Namespaced' | 'Cluster';
  /** The last one is stored. */
  versions: readonly string[];
  spec: object;
  status: object;
}>;

const text = { type: 'string' };
const truth = { type: 'boolean' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

/**
 * Parts of the vendors' definitions that an import meets: names, scope, versions, and the types of these
 * fields. All have the subresource `status`, so that a write of the object alone leaves the status out.
 */
const PUBLISHED = {
  /**
   * https://github.com/kubernetes-sigs/cluster-api at e760f4ad,
   * core/config/crd/bases/cluster.x-k8s.io_clusters.yaml
   */
  capi: {
    ...{ group: 'cluster.x-k8s.io', plural: 'clusters', kind: 'Cluster', scope: 'Namespaced' },
    versions: ['v1beta1', 'v1beta2'],
    spec: object({ controlPlaneEndpoint: object({ host: text, port: { type: 'integer' } }) }),
    status: object({
      phase: { ...text, enum: ['Pending', 'Provisioning', 'Provisioned', 'Deleting', 'Failed', 'Unknown'] },
    }),
  },
  /**
   * https://github.com/rancher/rancher at 10f1b022,
   * pkg/crds/yaml/generated/provisioning.cattle.io_clusters.yaml
   */
  rancher: {
    ...{ group: 'provisioning.cattle.io', plural: 'clusters', kind: 'Cluster', scope: 'Namespaced' },
    versions: ['v1'],
    spec: object({ kubernetesVersion: { ...text, nullable: true } }),
    status: object({ clientSecretName: { ...text, maxLength: 253 }, clusterName: text, ready: truth }),
  },
  /** https://github.com/open-cluster-management-io/api at 13f188e8, cluster/v1/types.go */
  ocm: {
    ...{ group: 'cluster.open-cluster-management.io', plural: 'managedclusters', kind: 'ManagedCluster' },
    ...{ scope: 'Cluster', versions: ['v1'] },
    spec: object({ hubAcceptsClient: truth, leaseDurationSeconds: { type: 'integer', default: 60 } }),
    status: object({ clusterClaims: { type: 'array', items: object({ name: text, value: text }) } }),
  },
} as const satisfies Readonly<Record<string, Published>>;

const definitionOf = ({ group, plural, kind, scope, versions, spec, status }: Published): KubernetesObject =>
  KubernetesObject.parse({
    ...{
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
    },
    spec: {
      ...{ group, scope, names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` } },
      versions: versions.map((name, at) => ({
        ...{ name, served: true, storage: at === versions.length - 1, subresources: { status: {} } },
        schema: { openAPIV3Schema: object({ spec, status }, { required: ['spec'] }) },
      })),
    },
  });

describe('clusters of Cluster API, Rancher and OCM on a real API server that has the kinds of their vendors', () => {
  let controlPlane: ControlPlane | undefined;
  let admin: KubeClient;
  let flags: readonly string[] = [];
  let login = '';
  let sources: ClusterSources;
  let logins: SecretClusters;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const [{ kubeconfigPath, name } = { kubeconfigPath: '', name: '' }] = controlPlane.clusters;
    const [loaded] = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: 'flotilla-poller' });
    const [access] = await readAccess({ kubeconfigs: [kubeconfigPath] });
    if (loaded === undefined || access === undefined) throw new Error('the control plane has no cluster');
    admin = loaded;
    flags = ['--fleet', name, '--kubeconfig', kubeconfigPath];
    const { cluster, user } = access;
    const context = { cluster: 'c', user: 'u' };
    login = stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'x', contexts: [{ name: 'x', context }] },
      ...{ clusters: [{ name: 'c', cluster }], users: [{ name: 'u', user: { token: user.token } }] },
    });
    expect((await runFlotilla(['fleet', 'init', '--context', name, '--kubeconfig', kubeconfigPath])).exit).toBe(0);
    for (const namespace of ['flotilla', 'clusters', 'fleet-default'])
      await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(await readFile(join(PROJECT_ROOT, 'k8s/components/fleet/rights.yaml'), 'utf8'));
    for (const published of Object.values(PUBLISHED)) await admin.create(definitionOf(published));
    const common = { clock: new SystemClock(), log: silentLog };
    sources = new ClusterSources({
      ...{ ...common, hub: as('catalog-poller'), owns: () => true },
      accounts: async () => ['flotilla/catalog-poller', 'flotilla/applier'],
    });
    logins = new SecretClusters({ ...common, hub: as('applier'), namespace: 'flotilla', observes: false });
    sources.start();
    logins.start();
  });
  afterAll(async () => {
    await Promise.all([sources?.stop(), logins?.stop()]);
    await admin?.close();
    await controlPlane?.stop();
  });

  /** Acts with the rights of an account of the hub in Kubernetes. */
  const as = (account: string): KubeClient =>
    admin.actingAs({
      user: `system:serviceaccount:flotilla:${account}`,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:flotilla', 'system:authenticated'],
    });
  async function apply(yaml: string): Promise<void> {
    for (const one of loadAll(yaml)) await admin.apply(KubernetesObject.parse(one));
  }
  async function make(
    tool: keyof typeof PUBLISHED,
    version: string,
    metadata: Readonly<{ name: string; namespace?: string; labels?: Record<string, string> }>,
    { spec, status }: Readonly<{ spec: object; status: object }>,
  ): Promise<void> {
    const { group, kind } = PUBLISHED[tool];
    const made = KubernetesObject.parse({ apiVersion: `${group}/${version}`, kind, metadata, spec });
    // A definition is served a moment after it was made.
    const { object: stored } = await vi.waitFor(() => admin.create(made), PATIENCE);
    await admin.updateStatus({ ...stored, status } as KubernetesObject);
  }
  /** Cluster API (util/kubeconfig) and Rancher (pkg/provisioningv2/kubeconfig) write this label. */
  const secret = (namespace: string, name: string, type: string) =>
    admin.create({
      ...{ apiVersion: 'v1', kind: 'Secret', type },
      metadata: { namespace, name, labels: { 'cluster.x-k8s.io/cluster-name': name.replace('-kubeconfig', '') } },
      data: { value: Buffer.from(login).toString('base64') },
    } as KubernetesObject);
  const accessOf = async (name: string) =>
    ((await admin.get({ ...MEMBERS, name }))?.['spec'] as { access?: unknown })?.access;
  const members = () => logins.beside({ members: [], problems: [] }).members.map(({ cluster }) => cluster);
  const inSource = async (name: string) => {
    const { conditions = [] } = ((await admin.get({ ...MEMBERS, name }))?.['status'] ?? {}) as Readonly<{
      conditions?: readonly Readonly<{ type: string; reason: string }>[];
    }>;
    return conditions.find(({ type }) => type === 'InSource')?.reason;
  };
  const imported = (tool: string, ...more: readonly string[]) =>
    runFlotilla(['clusters', 'import', '--from', tool, ...more, ...flags]);
  const applyRole = async (tool: string, ...more: readonly string[]) =>
    apply((await runFlotilla(['clusters', 'import', '--from', tool, ...more, '--role'])).out);

  it.each([
    { version: 'v1beta1', name: 'east' },
    { version: 'v1beta2', name: 'west' },
  ])('Cluster API: a Cluster that was made as $version, once by the command', async ({ version, name }) => {
    const endpoint = { host: '10.0.0.5', port: 6443 };
    const parts = { spec: { controlPlaneEndpoint: endpoint }, status: { phase: 'Provisioned' } };
    await make('capi', version, { name, namespace: 'clusters', labels: { region: name } }, parts);
    await secret('clusters', `${name}-kubeconfig`, 'cluster.x-k8s.io/secret');
    expect(await imported('capi', '-n', 'clusters', '-l', `region=${name}`)).toMatchObject({
      ...{ exit: 0, out: `cluster ${name} imported\n` },
    });
    expect(await accessOf(name)).toMatchObject({ secretRef: { namespace: 'clusters', name: `${name}-kubeconfig` } });
    await applyRole('capi', '-n', 'clusters');
    await expect.poll(members, LONG_PATIENCE).toContain(name);
  });

  it('Rancher: a Cluster whose status names its Secret, and one without a status, kept in step', async () => {
    const spec = { kubernetesVersion: 'v1.33.5+rke2r1' };
    const named = { clientSecretName: 'of-status-kubeconfig', clusterName: 'c-m-abcdefgh', ready: true };
    await make('rancher', 'v1', { name: 'named', namespace: 'fleet-default' }, { spec, status: named });
    await make('rancher', 'v1', { name: 'plain', namespace: 'fleet-default' }, { spec: {}, status: {} });
    await secret('fleet-default', 'of-status-kubeconfig', 'Opaque');
    await secret('fleet-default', 'plain-kubeconfig', 'Opaque');
    await applyRole('rancher');
    expect(await imported('rancher', '--source', 'rancher')).toMatchObject({ exit: 0 });
    const source = { apiVersion: FLEET_API, kind: 'FleetClusterSource', name: 'rancher' };
    const reported = async () => JSON.stringify((await admin.get(source))?.['status']);
    await expect.poll(reported, LONG_PATIENCE).toContain('"InStep"');
    for (const name of ['named', 'plain']) await expect.poll(() => inSource(name), LONG_PATIENCE).toBe('Present');
    expect(await accessOf('named')).toMatchObject({
      secretRef: { namespace: 'fleet-default', name: 'of-status-kubeconfig' },
    });
    expect(await accessOf('plain')).toMatchObject({ secretRef: { name: 'plain-kubeconfig' } });
    await expect.poll(members, LONG_PATIENCE).toEqual(expect.arrayContaining(['named', 'plain']));
  });

  it('OCM: a ManagedCluster, once its hub has accepted it; it has no login', async () => {
    const status = { clusterClaims: [{ name: 'id.k8s.io', value: 'north' }] };
    await make(
      'ocm',
      'v1',
      { name: 'north', labels: { vendor: 'OpenShift' } },
      { spec: { hubAcceptsClient: false }, status },
    );
    expect(await imported('ocm')).toMatchObject({ exit: 1, err: expect.stringContaining('has not accepted it yet') });
    const { group, kind } = PUBLISHED.ocm;
    await admin.patch({ apiVersion: `${group}/v1`, kind, name: 'north' }, { spec: { hubAcceptsClient: true } });
    expect(await imported('ocm')).toMatchObject({ exit: 0, out: 'cluster north imported\n' });
    const member = await admin.get({ ...MEMBERS, name: 'north' });
    expect(member?.metadata.labels).toMatchObject({ vendor: 'OpenShift' });
    expect(await accessOf('north')).toMatchObject({ secretRef: { name: 'north' } });
  });
});
