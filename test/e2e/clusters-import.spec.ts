import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FleetClusterSourceStatus } from '#core/kernel/api/fleet/fleet-cluster-source';
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
import { LONG_PATIENCE } from '#testing/patience';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';

const CLUSTERS = { apiVersion: FLEET_API, kind: 'FleetCluster' } as const;
const SOURCES = { apiVersion: FLEET_API, kind: 'FleetClusterSource' } as const;
const SECRETS = { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd' } as const;

describe('clusters of Argo CD on a real API server, with the rights that are shipped', () => {
  let controlPlane: ControlPlane | undefined;
  let admin: KubeClient;
  let flags: readonly string[] = [];
  let sources: ClusterSources;
  let logins: SecretClusters;
  let config = {};
  let server = '';

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const [{ kubeconfigPath, name } = { kubeconfigPath: '', name: '' }] = controlPlane.clusters;
    const [loaded] = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: 'flotilla-poller' });
    if (loaded === undefined) throw new Error('the control plane has no cluster');
    admin = loaded;
    flags = ['--fleet', name, '--kubeconfig', kubeconfigPath];
    const [access] = await readAccess({ kubeconfigs: [kubeconfigPath] });
    server = access?.cluster.server ?? '';
    const caData = String(access?.cluster['certificate-authority-data'] ?? '');
    config = { bearerToken: access?.user.token ?? 'hush', tlsClientConfig: { insecure: false, caData } };
    expect((await runFlotilla(['fleet', 'init', '--context', name, '--kubeconfig', kubeconfigPath])).exit).toBe(0);
    for (const namespace of ['flotilla', 'argocd']) {
      await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    }
    await apply(await readFile(join(PROJECT_ROOT, 'k8s/components/fleet/rights.yaml'), 'utf8'));
    const common = { clock: new SystemClock(), log: silentLog };
    sources = new ClusterSources({
      ...{ ...common, hub: as('catalog-poller'), owns: () => true },
      accounts: async () => ['flotilla/catalog-poller', 'flotilla/applier'],
    });
    logins = new SecretClusters({ ...common, hub: as('applier'), namespace: 'flotilla', observes: false });
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
  async function apply(text: string): Promise<void> {
    for (const one of loadAll(text)) await admin.apply(KubernetesObject.parse(one));
  }
  const put = (name: string, labels: Readonly<Record<string, string>> = {}) => {
    const data = { name, server, config: JSON.stringify(config) };
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    return admin.apply({
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', data: Object.fromEntries(encoded) },
      metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster', ...labels } },
    } as KubernetesObject);
  };
  const source = (spec: object, name = 'other') =>
    admin.create({ ...SOURCES, metadata: { name }, spec } as KubernetesObject);
  const statusOf = async () =>
    ((await admin.get({ ...SOURCES, name: 'argo' }))?.['status'] ?? {}) as FleetClusterSourceStatus;
  const readiness = async () => (await statusOf()).conditions?.find(({ type }) => type === 'Ready')?.reason;
  const inSource = async (name: string) => {
    const { conditions = [] } = ((await admin.get({ ...CLUSTERS, name }))?.['status'] ??
      {}) as FleetClusterSourceStatus;
    return conditions.find(({ type }) => type === 'InSource')?.reason;
  };
  const members = () => logins.beside({ members: [], problems: [] }).members.map(({ cluster }) => cluster);
  const events = async () =>
    ((await admin.list({ apiVersion: 'v1', kind: 'Event' }, { namespace: 'default' }))?.items ?? [])
      .map((one) => `${(one['involvedObject'] as { name: string }).name} ${String(one['reason'])}`)
      .filter((text) => text.startsWith('shop'))
      .sort();

  it.each([
    [{ from: 'OCM', namespace: 'x' }, 'other', /namespace goes with every tool but OCM/],
    [{ from: 'ArgoCD' }, 'other', /namespace goes with every tool but OCM/],
    [{ from: 'Karmada', namespace: 'x' }, 'other', /Unsupported value/],
    [{ from: 'OCM' }, 'a'.repeat(64), /the name must have at most 63 characters/],
  ])('refuses a FleetClusterSource %j', async (spec, name, says) => {
    await expect(source(spec, name)).rejects.toThrow(says);
  });

  it('wait for the Role of the owner of the namespace, then are there and can be used', async () => {
    await put('shop-1', { env: 'prod', team: 'a' });
    const command = ['clusters', 'import', '--from', 'argocd', '--source', 'argo', ...flags];
    expect(await runFlotilla(command)).toMatchObject({
      ...{ exit: 0, out: 'FleetClusterSource argo keeps in step 1 cluster: shop-1\n' },
    });
    sources.start();
    logins.start();
    await expect.poll(readiness, LONG_PATIENCE).toBe('Forbidden');
    const { role = '' } = await statusOf();
    const printed = await runFlotilla(['clusters', 'import', '--from', 'argocd', '--role']);
    expect(role).toBe(printed.out);
    await apply(role);
    await expect.poll(() => inSource('shop-1'), LONG_PATIENCE).toBe('Present');
    await expect.poll(readiness, LONG_PATIENCE).toBe('InStep');
    await expect.poll(members, LONG_PATIENCE).toEqual(['shop-1']);
    await expect.poll(events, LONG_PATIENCE).toEqual(['shop-1 Imported']);
  });

  it('cannot have another tool or namespace later', async () => {
    const patch = (spec: object) => admin.patch({ ...SOURCES, name: 'argo' }, { spec });
    await expect(patch({ from: 'ClusterAPI' })).rejects.toThrow(/from is immutable/);
    await expect(patch({ namespace: 'other' })).rejects.toThrow(/namespace is immutable/);
  });

  it('lose the labels that they lose there, and keep those of people', async () => {
    await admin.patch(
      { ...CLUSTERS, name: 'shop-1' },
      { metadata: { labels: { tier: 'lab' } } },
      { fieldManager: 'anna' },
    );
    await put('shop-1', { env: 'test' });
    const labels = async () => (await admin.get({ ...CLUSTERS, name: 'shop-1' }))?.metadata.labels;
    await expect.poll(labels, LONG_PATIENCE).toEqual({ env: 'test', tier: 'lab', 'fleet.flotilla.dev/source': 'argo' });
  });

  it('are announced when they leave, and may come back', async () => {
    await admin.delete({ ...SECRETS, name: 'shop-1' });
    await expect.poll(() => inSource('shop-1'), LONG_PATIENCE).toBe('Left');
    await expect
      .poll(async () => (await statusOf()).left?.map(({ cluster }) => cluster), LONG_PATIENCE)
      .toEqual(['shop-1']);
    await put('shop-1');
    await expect.poll(() => inSource('shop-1'), LONG_PATIENCE).toBe('Present');
    await expect.poll(events, LONG_PATIENCE).toEqual(['shop-1 BackInSource', 'shop-1 Imported', 'shop-1 LeftSource']);
  });

  it('lose what an import by command brought and the tool has no more, once a source takes them over', async () => {
    const pause = (paused: boolean) => admin.patch({ ...SOURCES, name: 'argo' }, { spec: { paused } });
    await pause(true);
    await expect.poll(readiness, LONG_PATIENCE).toBe('Paused');
    await put('shop-2', { env: 'prod', team: 'b' });
    expect((await runFlotilla(['clusters', 'import', '--from', 'argocd', ...flags])).out).toBe(
      'cluster shop-2 imported\n',
    );
    await put('shop-2', { env: 'prod' });
    await pause(false);
    await expect.poll(() => inSource('shop-2'), LONG_PATIENCE).toBe('Present');
    const { metadata, ...found } = (await admin.get({ ...CLUSTERS, name: 'shop-2' })) ?? { metadata: {} };
    expect(metadata.labels).toEqual({ env: 'prod', 'fleet.flotilla.dev/source': 'argo' });
    expect(found).toMatchObject({ spec: { access: { secretRef: { name: 'shop-2', namespace: 'argocd' } } } });
  });
});
