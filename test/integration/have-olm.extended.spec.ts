import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Catalog } from '#core/catalog/model/catalog';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { INSTALL_PLAN_API } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { file } from '#core/v1/bundle-render/sample-bundle.fixture';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { buildImage } from '#platform/registry/image-builder';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { deployment } from '../../apps/cli/src/commands/clusters/handover/olm-cluster.fixture.js';
import { LOOPBACK_ALLOWED } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { GuideNames } from '../guide/guide-names.js';
import { follow } from '../guide/page-shell.js';
import { readGuide } from '../guide/read-guide.js';
import { type Dump, type JsonObject, type Recording, readRecording } from '../recorded/recording.js';
import { restoreRecorded } from '../recorded/restore-recorded.js';
import { type RunningUp, runUp } from './up-support/run-up.js';

const PLAIN = 'prod-eu';
const OPENSHIFT = 'prod-ocp';
const NAMESPACE = 'upgrade-replaces';
const PACKAGE = 'tugboat-operator';
const PAGE = await readFile(join(PROJECT_ROOT, 'docs/have-olm.md'), 'utf8');
/** The page's operator, and the recorded one. */
const here = (command: string) =>
  command
    .replaceAll('subscription lamp -n lights', `subscription tugboat -n ${NAMESPACE}`)
    .replaceAll('-n lights', `-n ${NAMESPACE}`)
    .replaceAll('extension lamp', `extension ${PACKAGE}`);
const STEPS = readGuide(PAGE).map((step) => ({ ...step, command: here(step.command) }));

let folder = '';
let fleet: SimulatedFleet;
let catalogs: CatalogServer;
let recording: Recording;
let registry: InMemoryRegistry;
let up: RunningUp | undefined;

const namespace = (name: string): KubernetesObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** The state that OLM left after the install of v1.0.0. Updates wait for approval here, unlike there. */
function recordedState({ checkpoints, final }: Recording): Dump {
  const dump = checkpoints['v1'] ?? {};
  const plan = `${NAMESPACE}/install-<1>`;
  const subscription = dump['Subscription']?.[`${NAMESPACE}/tugboat`] ?? {};
  const spec = { ...(subscription['spec'] as JsonObject), installPlanApproval: 'Manual' };
  return {
    ...dump,
    // The checkpoint was taken before OLM had set the plan to Complete.
    InstallPlan: { [plan]: final['InstallPlan']?.[plan] ?? {} },
    Subscription: { [`${NAMESPACE}/tugboat`]: { ...subscription, spec } },
  };
}

/** A recorded catalog with images as bundles, as in public catalogs: OLM v1 accepts no others. */
async function catalogOfImages(part: string): Promise<Catalog> {
  const catalog = recording.catalog(part);
  const bundles = catalog.bundles.map(async (bundle) => {
    const manifests = bundle.objects.map((object, at) => file(`manifests/${at}.yaml`, object));
    const annotations = { 'operators.operatorframework.io.bundle.package.v1': bundle.package };
    const files = [...manifests, file('metadata/annotations.yaml', { annotations })];
    const digest = registry.put(`bundles/${bundle.name}`, await buildImage({ files, labels: {} }));
    return { ...bundle, image: `${registry.host}/bundles/${bundle.name}@${digest}` };
  });
  return { ...catalog, bundles: await Promise.all(bundles) };
}

/** An OpenShift cluster has its config API, and OLM's Deployments in a namespace of its own. */
function makeOpenShift(): void {
  const cluster = fleet.cluster(OPENSHIFT);
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: open },
    subresources: { status: {} },
  };
  for (const [kind, plural] of [
    ['ClusterVersion', 'clusterversions'],
    ['ClusterOperator', 'clusteroperators'],
  ] as const) {
    cluster.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.config.openshift.io` },
      spec: { group: 'config.openshift.io', scope: 'Cluster', names: { kind, plural }, versions: [version] },
    } as KubernetesObject);
  }
  cluster.create(namespace('openshift-operator-lifecycle-manager'));
  for (const name of ['olm-operator', 'catalog-operator'])
    cluster.create(deployment('openshift-operator-lifecycle-manager', name));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-have-olm-'));
  const found = readRecording(NAMESPACE);
  if (found === undefined) throw new Error(`the recording ${NAMESPACE} is not there`);
  recording = found;
  fleet = await startSimulatedFleet({ clusters: [PLAIN, OPENSHIFT], deploymentReadyAfterMs: 100 });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  const clients = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'test' });
  await Promise.all(clients.map((client) => serveCrds(client)));
  await Promise.all(clients.map((client) => client.close()));
  registry = await startRegistry();
  catalogs = await serveCatalog(await catalogOfImages('fbc-1'), { port: 0 });
  makeOpenShift();
  const plain = fleet.cluster(PLAIN);
  plain.create(namespace('olm'));
  for (const name of ['olm-operator', 'catalog-operator']) plain.create(deployment('olm', name));
  for (const cluster of [plain, fleet.cluster(OPENSHIFT)]) {
    cluster.create(namespace(NAMESPACE));
    restoreRecorded(cluster, recordedState(recording), recording.catalog('fbc-1'), `127.0.0.1:${catalogs.port}`);
  }
});
afterAll(async () => {
  await up?.kill();
  await Promise.all([catalogs?.stop(), fleet?.stop(), registry?.stop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const environment = () => ({
  FLOTILLA_KUBECONFIG: join(folder, 'kubeconfig'),
  FLOTILLA_CONTENT_DIR: join(folder, 'content'),
  // No hub answers there: the page names none.
  FLOTILLA_CATALOG_POLLER_PORT: '1',
  ...LOOPBACK_ALLOWED,
  // The default is hours. After a handover a hub begins within a minute; this shortens it.
  FLOTILLA_RESYNC_INTERVAL: '3s',
});

/** Follows the commands of the page from one that begins so up to the next. */
async function take(begin: string, count: number): Promise<void> {
  const names = new GuideNames();
  const first = STEPS.findIndex(({ command }) => command.startsWith(begin));
  expect(first, begin).toBeGreaterThanOrEqual(0);
  for (const step of STEPS.slice(first, first + count)) {
    await follow({ folder, environment: environment() }, names, step);
  }
}

const inPlain = () => fleet.cluster(PLAIN);
const replicas = (name: string) =>
  Object(inPlain().get({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: 'olm' })?.['spec']).replicas;
const csvs = () =>
  inPlain()
    .list(CSV_API)
    .map(({ metadata, status }) => `${metadata.name} ${Object(status).phase}`)
    .sort();
const plans = () =>
  inPlain()
    .list(INSTALL_PLAN_API)
    .map(({ status }) => String(Object(status).phase))
    .sort();
const extensions = () =>
  inPlain()
    .list(CLUSTER_EXTENSION_API)
    .map(({ metadata, status }) => `${metadata.name} ${Object(status).install?.bundle.name}`);
const operator = () =>
  inPlain().get({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'tugboat-manager', namespace: NAMESPACE });
/** A question about one's rights is asked with POST, and stores nothing. */
const writes = () =>
  [PLAIN, OPENSHIFT].map((cluster) =>
    fleet
      .cluster(cluster)
      .requests.writes()
      .filter(({ resource }) => resource !== 'selfsubjectaccessreviews'),
  );

describe('docs/have-olm.md, on a plain and an OpenShift-like cluster with what OLM was recorded to have', () => {
  it('is followed command by command', () => {
    const verbs = STEPS.map(({ command }) => command.split(' ').slice(1, 3).join(' '));
    expect(verbs).toHaveLength(15);
  });

  it('before: the machine and both clusters are checked, and nothing was written', async () => {
    for (const cluster of [PLAIN, OPENSHIFT]) fleet.cluster(cluster).requests.clear();
    await take('flotilla doctor', 1);
    expect(writes()).toEqual([[], []]);
  });

  it('1. assess: the report is there, and nothing was written', async () => {
    await take('flotilla assess', 2);
    const report = await readFile(join(folder, 'report.html'), 'utf8');
    expect(report).toContain('tugboat-operator.v1.0.0');
    expect(report).toContain('OpenShift');
    expect(writes()).toEqual([[], []]);
  });

  it('2. try: Flotilla runs beside OLM and leaves both clusters alone', async () => {
    const [, args = ''] = /^flotilla up (.*)$/m.exec(PAGE) ?? [];
    up = runUp(args.split(' '), { ...environment(), FLOTILLA_CLUSTERS_FILE: join(folder, 'joined') });
    await up.running();
    expect(up.said.out).toMatch(/prod-eu +Kubernetes .* left alone/);
    expect(up.said.out).toMatch(/prod-ocp +Kubernetes .* left alone/);
    await take('flotilla plan --live', 1);
    expect(writes()).toEqual([[], []]);
  });

  it('3. move: OLM is stopped, and the operator runs on as it did', async () => {
    const before = operator();
    await take('flotilla clusters handover prod-eu --context prod-eu --from olm --dry-run', 1);
    expect([replicas('olm-operator'), replicas('catalog-operator')]).toEqual([1, 1]);
    await take('flotilla clusters handover prod-eu --context prod-eu --from olm', 2);
    expect([replicas('olm-operator'), replicas('catalog-operator')]).toEqual([0, 0]);
    expect([operator()?.metadata.uid, operator()?.['spec']]).toEqual([before?.metadata.uid, before?.['spec']]);
  });

  it('4. roll out: the new version waits for approval, and is installed', async () => {
    catalogs.replace(await catalogOfImages('fbc-2'));
    await expect.poll(plans, LONG_PATIENCE).toEqual(['Complete', 'RequiresApproval']);
    await take('flotilla status', 4);
    await expect.poll(csvs, LONG_PATIENCE).toEqual(['tugboat-operator.v1.1.0 Succeeded']);
    const { image } = Object(operator()?.['spec']).template.spec.containers[0];
    expect(image).toBe('example.test/tugboat-operator:v1.1.0');
  });

  it('5. on to OLM v1 and back: the operator runs on as it did', async () => {
    const running = () => [operator()?.metadata.uid, Object(operator()?.['spec']).template];
    const owners = () => operator()?.metadata.ownerReferences?.map(({ kind }) => kind);
    const before = running();
    await take('flotilla migrate subscription', 3);
    expect([csvs(), owners(), running()]).toEqual([[], ['ClusterObjectSet'], before]);
    await expect.poll(extensions, LONG_PATIENCE).toEqual([`${PACKAGE} ${PACKAGE}.v1.1.0`]);
    await take('flotilla migrate extension', 1);
    expect([extensions(), owners(), running()]).toEqual([[], ['ClusterServiceVersion'], before]);
    await expect.poll(csvs, LONG_PATIENCE).toEqual([`${PACKAGE}.v1.1.0 Succeeded`]);
  });

  it('6. back: OLM runs again, Flotilla is out, and what was rolled out stays', async () => {
    await take('flotilla clusters handover prod-eu --context prod-eu --to olm', 1);
    expect([replicas('olm-operator'), replicas('catalog-operator')]).toEqual([1, 1]);
    expect(csvs()).toEqual(['tugboat-operator.v1.1.0 Succeeded']);
    expect(await up?.end('SIGTERM')).toBe(0);
    expect(writes()[1], 'nothing was ever written to the other cluster').toEqual([]);
  });
});
