import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { catalogImage } from '../story/bad-input-fixture.js';
import { bundleImage, ExtensionFixture, packageBlobs } from '../story/extension-fixture.js';
import { allRunning, startQuickEnvironment } from '../story/quick-environment.js';

const NAMESPACE = 'lights';
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'lamp-operator', namespace: NAMESPACE };
const RBAC = 'rbac.authorization.k8s.io/v1';

let folder = '';
let fleet: SimulatedFleet;
let registry: InMemoryRegistry;
let client: KubeClient;
let east: ExtensionFixture;
let stop: () => Promise<unknown> = async () => undefined;

/** A hub at work, and an operator that it has installed from a Subscription. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-migrate-'));
  fleet = await startSimulatedFleet({ clusters: ['east'], deploymentReadyAfterMs: 100 });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  vi.stubEnv('FLOTILLA_KUBECONFIG', kubeconfig);
  vi.stubEnv('FLOTILLA_CONTENT_DIR', join(folder, 'content'));
  registry = await startRegistry();
  const [found] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'tests' });
  if (found === undefined) throw new Error('the fleet has no cluster');
  client = found;
  east = new ExtensionFixture(client);
  await serveCrds(client);
  const environment = await startQuickEnvironment({ registry, kubeconfigs: [kubeconfig] });
  stop = () => environment.stop();
  await allRunning(environment.services);
  const images = await Promise.all(
    ['1.0.0'].map(async (version) => {
      const digest = registry.put(`bundles/lamp:v${version}`, await bundleImage({ name: 'lamp', version, rich: true }));
      return { version, image: `${registry.host}/bundles/lamp@${digest}` };
    }),
  );
  const text = packageBlobs('lamp', images).map((blob) => JSON.stringify(blob));
  registry.put('shelf/lamps:latest', await catalogImage({ 'catalog.json': text.join('\n') }));
  await east.namespace(NAMESPACE);
  const at = { namespace: NAMESPACE };
  await client.create({
    ...CATALOG_SOURCE_API,
    metadata: { name: 'lamps', ...at },
    spec: { sourceType: 'grpc', image: `${registry.host}/shelf/lamps:latest` },
  });
  await client.create({ ...OPERATOR_GROUP_API, metadata: { name: 'all', ...at }, spec: {} });
  await client.create({
    ...SUBSCRIPTION_API,
    metadata: { name: 'lamp', ...at },
    spec: { name: 'lamp', channel: 'stable', source: 'lamps', sourceNamespace: NAMESPACE },
  });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await stop();
  await client?.close();
  await Promise.all([registry?.stop(), fleet?.stop(), rm(folder, { recursive: true, force: true, maxRetries: 5 })]);
});

const phase = async () =>
  Object((await client.get({ ...CSV_API, name: 'lamp.v1.0.0', namespace: NAMESPACE }))?.['status']).phase;
const running = async () => {
  const live = await client.get(DEPLOYMENT);
  return { uid: live?.metadata.uid, generation: live?.metadata.generation, template: Object(live?.['spec']).template };
};
const owners = async () =>
  (await client.get(DEPLOYMENT))?.metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`) ?? [];
const accountOf = async () => {
  const { metadata } =
    (await client.get({ apiVersion: 'v1', kind: 'ServiceAccount', name: 'lamp-operator', namespace: NAMESPACE })) ?? {};
  const owned = metadata?.ownerReferences?.map(({ kind, name, controller }) => ({ kind, name, controller }));
  return { labels: metadata?.labels, owned };
};
const rolesOf = async (kind: string) =>
  (await client.list({ apiVersion: RBAC, kind }))?.items
    .map(({ metadata }) => metadata.name ?? '')
    .filter((name) => name.startsWith('lamp')) ?? [];
/** Roles of the provided API: admin, edit, view and crdview. They come after the CSV has Succeeded. */
const rolesOfApi = async () => (await rolesOf('ClusterRole')).filter((name) => name.includes('-v1-'));
const isThere = async (kind: Readonly<{ apiVersion: string; kind: string }>, name: string) =>
  (await client.get({ ...kind, name, ...(kind === CLUSTER_EXTENSION_API ? {} : { namespace: NAMESPACE }) })) !==
  undefined;

describe('an operator of OLM Classic under a hub', () => {
  it('becomes a ClusterExtension of the same bundle without a restart, and a Subscription again', async () => {
    await expect.poll(phase, PATIENCE).toBe('Succeeded');
    await expect.poll(rolesOfApi, PATIENCE).toHaveLength(4);
    const before = await running();
    const classicRoles = await rolesOf('ClusterRole');
    const account = await accountOf();

    const dry = await runFlotilla(['migrate', 'subscription', 'lamp', '-n', NAMESPACE, '--dry-run']);
    expect(dry).toMatchObject({ exit: 0, err: expect.stringContaining('note: no ClusterCatalog has package lamp') });
    expect(dry.out).toContain('Deployment lights/lamp-operator becomes part of the ClusterExtension\n');
    expect(await isThere(SUBSCRIPTION_API, 'lamp')).toBe(true);

    const there = await runFlotilla(['migrate', 'subscription', 'lamp', '-n', NAMESPACE]);
    expect(there).toMatchObject({ exit: 0, out: expect.stringContaining('1 Deployment still running\n') });
    expect(await running()).toEqual(before);
    expect(await owners()).toEqual(['ClusterObjectSet lamp-1']);
    expect([await isThere(SUBSCRIPTION_API, 'lamp'), await isThere(CSV_API, 'lamp.v1.0.0')]).toEqual([false, false]);
    await expect.poll(() => east.installState('lamp'), PATIENCE).toMatch(/^1\.0\.0 True/);
    expect(await rolesOf('ClusterRole')).not.toEqual(classicRoles);
    const again = await runFlotilla(['migrate', 'subscription', 'lamp', '-n', NAMESPACE]);
    expect(again, 'once more changes nothing').toMatchObject({ exit: 0 });
    expect((await east.revisions('lamp')).length, 'the hub makes no other revision').toBe(1);
    expect(await running()).toEqual(before);

    const back = await runFlotilla(['migrate', 'extension', 'lamp']);
    expect(back).toMatchObject({ exit: 0, out: expect.stringContaining('1 Deployment still running\n') });
    expect(await phase()).toBe('Succeeded');
    expect(await isThere(CLUSTER_EXTENSION_API, 'lamp')).toBe(false);
    expect(await owners()).toEqual(['ClusterServiceVersion lamp.v1.0.0']);
    const template = (await running()).template;
    expect([template, (await running()).uid]).toEqual([before.template, before.uid]);
    await expect.poll(() => rolesOf('ClusterRole'), PATIENCE).toEqual(classicRoles);
    expect(await accountOf(), 'labels and owners').toEqual(account);
    const gone = await runFlotilla(['migrate', 'extension', 'lamp']);
    expect(gone).toMatchObject({ exit: 1, err: expect.stringContaining('there is no record of a move') });
  });
});
