import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

const CLUSTERS = { apiVersion: FLEET_API, kind: 'FleetCluster' } as const;
let folder = '';
let fleet: SimulatedFleet;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-import-'));
  fleet = await startSimulatedFleet({ clusters: ['hub', 'bare'] });
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  vi.stubEnv('KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_KUBECONFIG', '');
  vi.stubEnv('FLOTILLA_FLEET', '');
  expect((await runFlotilla(['fleet', 'init', '--context', 'hub'])).exit).toBe(0);
  for (const name of ['argocd', 'clusters', 'fleet-default']) {
    fleet.cluster('hub').create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const run = (...args: readonly string[]) => runFlotilla(['clusters', 'import', ...args, '--fleet', 'hub']);
const cluster = (name: string) => fleet.cluster('hub').get({ ...CLUSTERS, name });
const encoded = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
const put = (object: object) => fleet.cluster('hub').create(object as KubernetesObject);
const argo = (name: string, labels: object = {}, config: object = { bearerToken: 'hush' }) =>
  put({
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
    metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster', ...labels } },
    data: encoded({ name, server: `https://${name}.example`, config: JSON.stringify(config) }),
  });
const kubeconfigSecret = (name: string, namespace: string, user: object = { token: 'hush' }) =>
  put({
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'cluster.x-k8s.io/secret' },
    metadata: { name: `${name}-kubeconfig`, namespace, labels: { 'cluster.x-k8s.io/cluster-name': name } },
    data: encoded({
      value: JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'default' },
        clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.5:6443' } }],
        users: [{ name: 'u', user }],
        contexts: [{ name: 'default', context: { cluster: 'c', user: 'u' } }],
      }),
    }),
  });

/** Has the hub serve a kind of a tool. */
async function serve(
  group: string,
  version: string,
  kind: string,
  plural: string,
  scope = 'Namespaced',
): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  put({
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope, names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() } },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  });
  const established = () =>
    JSON.stringify(
      fleet.cluster('hub').get({
        ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `${plural}.${group}` },
      })?.['status'] ?? {},
    );
  await expect.poll(established, PATIENCE).toContain('Established');
}

describe('flotilla clusters import', () => {
  it.each([
    [['--from', 'capi'], /which namespace\? Name that of the Clusters with -n/],
    [['--from', 'ocm', '-n', 'x'], /--namespace: ManagedClusters have none; leave it out/],
    [['--from', 'karmada'], /argocd, capi, rancher, ocm/],
    [[], /--from <tool>/],
    [['--from', 'argocd', '-l', 'prod'], /invalid --selector "prod": write key=value/],
    [['--from', 'argocd', '--account', 'anna'], /--account goes with --role/],
    [['--from', 'argocd', '--source', 'Not a name'], /FleetClusterSource Not a name: /],
    [['--from', 'argocd', '--source', 'a'.repeat(64)], /must have at most 63 characters/],
    [['--from', 'ocm'], /hub has no managedclusters\.cluster\.open-cluster-management\.io; name the API server/],
  ])('refuses %j', async (args, says) => {
    const { err, exit } = await run(...args);
    expect([err, exit]).toEqual([expect.stringMatching(says), 2]);
  });

  it('says what comes first where the hub has no fleet, and that a folder has no Secrets', async () => {
    const bare = await runFlotilla(['clusters', 'import', '--from', 'argocd', '--fleet', 'bare']);
    expect(bare.err).toContain('bare has no FleetClusters: flotilla fleet init --context bare comes first');
    const files = await runFlotilla(['clusters', 'import', '--from', 'argocd', '--fleet', 'fleet/']);
    vi.stubEnv('FLOTILLA_FLEET', 'dir:fleet');
    const setting = await runFlotilla(['clusters', 'import', '--from', 'argocd']);
    vi.stubEnv('FLOTILLA_FLEET', '');
    for (const { err } of [files, setting]) expect(err).toContain('edit the files of FleetClusters');
    expect([bare.exit, files.exit, setting.exit]).toEqual([2, 2, 2]);
  });

  it('says that there is nothing, and exits with 1 where nothing can be imported', async () => {
    const none = await run('--from', 'argocd');
    expect(none).toMatchObject({ err: 'Nothing to import: found no secrets in namespace argocd.\n', exit: 1 });
    argo('legacy', { env: 'old' }, { awsAuthConfig: { clusterName: 'legacy' } });
    const refused = await run('--from', 'argocd');
    expect(refused.exit).toBe(1);
    expect(refused.err).toMatch(/^note: Secret argocd\/legacy is not imported: awsAuthConfig needs /);
  });

  it('imports once, updates what has changed, and leaves the rest', async () => {
    argo('east', { env: 'prod' });
    argo('west', { env: 'test' });
    expect((await run('--from', 'argocd', '-l', 'env=prod')).out).toBe('cluster east imported\n');
    expect(cluster('west')).toBeUndefined();
    expect(cluster('east')?.metadata.labels).toEqual({ env: 'prod' });
    const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'east' };
    fleet.cluster('hub').edit(secret, ({ metadata }) => Object.assign(metadata.labels ?? {}, { env: 'shop' }));
    expect((await run('--from', 'argocd')).out).toBe('cluster east updated\ncluster west imported\n');
    expect(cluster('east')?.metadata.labels).toEqual({ env: 'shop' });
    expect((await run('--from', 'argocd')).out).toBe('cluster east is there already\ncluster west is there already\n');
  });

  it('prints the Role for accounts of your own, and asks no cluster', async () => {
    const { out, exit } = await runFlotilla([
      ...['clusters', 'import', '--from', 'capi', '-n', 'clusters', '--role'],
      ...['--account', 'hubs/poller', '--account', 'anna'],
    ]);
    expect(exit).toBe(0);
    expect(out).toContain('    name: "poller"\n    namespace: "hubs"\n');
    expect(out).toContain('  - kind: User\n    apiGroup: rbac.authorization.k8s.io\n    name: "anna"\n');
  });

  it('imports Clusters of Cluster API whose kubeconfig the hub can use', async () => {
    await serve('cluster.x-k8s.io', 'v1beta1', 'Cluster', 'clusters');
    for (const name of ['good', 'new', 'exec']) {
      put({ apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', metadata: { name, namespace: 'clusters' } });
    }
    kubeconfigSecret('good', 'clusters');
    kubeconfigSecret('exec', 'clusters', { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws' } });
    const { out, err, exit } = await run('--from', 'capi', '-n', 'clusters', '--name-prefix', 'eu');
    expect([out, exit]).toEqual(['cluster eu-good imported\n', 0]);
    expect(err).toContain(
      'Cluster.cluster.x-k8s.io clusters/new is not imported: there is no Secret clusters/new-kubeconfig yet',
    );
    expect(err).toMatch(
      /clusters\/exec is not imported: Secret clusters\/exec-kubeconfig is not used: its user has exec/,
    );
    expect(cluster('eu-good')?.['spec']).toMatchObject({
      access: { secretRef: { name: 'good-kubeconfig', namespace: 'clusters', format: 'ClusterAPI' } },
    });
  });

  it('imports Clusters of Rancher, and keeps the name of a cluster of people', async () => {
    await serve('provisioning.cattle.io', 'v1', 'Cluster', 'clusters');
    put({ ...CLUSTERS, metadata: { name: 'taken' }, spec: { access: { context: 'taken' } } });
    for (const name of ['ranch', 'taken']) {
      put({ apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster', metadata: { name, namespace: 'fleet-default' } });
      kubeconfigSecret(name, 'fleet-default');
    }
    const { out, err } = await run('--from', 'rancher');
    expect(out).toBe('cluster ranch imported\n');
    expect(err).toContain('there is a FleetCluster "taken" already, and it was not imported: rename it there');
    expect(cluster('taken')?.['spec']).toMatchObject({ access: { context: 'taken' } });
  });

  it('imports ManagedClusters without a login, and says what they need', async () => {
    await serve('cluster.open-cluster-management.io', 'v1', 'ManagedCluster', 'managedclusters', 'Cluster');
    const of = { apiVersion: 'cluster.open-cluster-management.io/v1', kind: 'ManagedCluster' };
    put({ ...of, metadata: { name: 'north', labels: { vendor: 'OpenShift' } }, spec: { hubAcceptsClient: true } });
    put({ ...of, metadata: { name: 'south' }, spec: { hubAcceptsClient: false } });
    const { out, err } = await run('--from', 'ocm');
    expect(out).toBe('cluster north imported\n');
    expect(err).toContain('open-cluster-management.io south is not imported: its hub has not accepted it yet');
    expect(err).toContain('Each cluster needs a login: a Secret of its name in the namespace of the hub');
    expect(cluster('north')).toMatchObject({
      metadata: { labels: { vendor: 'OpenShift' } },
      spec: { access: { secretRef: { name: 'north' } } },
    });
    expect((await run('--from', 'ocm')).out).toBe('cluster north is there already\n');
  });

  it('says no word of a login', async () => {
    const answers = await Promise.all([run('--from', 'argocd', '--dry-run'), run('--from', 'rancher', '--dry-run')]);
    expect(JSON.stringify([answers, fleet.cluster('hub').list(CLUSTERS)])).not.toContain('hush');
  });
});
