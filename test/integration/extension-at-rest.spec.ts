import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { ClusterCaches } from '#lifecycle/engine/caches/cluster-caches';
import { SystemClock } from '#platform/clock/system-clock';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { silentLog } from '#platform/telemetry/log.port';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { ClusterView } from '../../libs/lifecycle/src/engine/caches/cluster-view.js';
import type { ExtensionDeps } from '../../libs/lifecycle/src/v1/extensions/extension-deps.js';
import { reconcileExtension } from '../../libs/lifecycle/src/v1/reconcile-extension.js';
import { bundleImage } from '../story/extension-fixture.js';
import { solvedFor } from './extension-support/solved-extension.js';

let folder: string;
let fleet: SimulatedFleet;
let registry: InMemoryRegistry;
let client: KubeClient;
let view: ClusterView;
let deps: ExtensionDeps;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-at-rest-'));
  [fleet, registry] = await Promise.all([
    startSimulatedFleet({ clusters: ['east'], deploymentReadyAfterMs: 1 }),
    startRegistry(),
  ]);
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  const [first] = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'flotilla-applier' });
  if (first === undefined) throw new Error('the fleet has no cluster');
  client = first;
  await serveKnownCrds(client, fleet.cluster(client.cluster));
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'lights' } });
  const clock = new SystemClock();
  view = new ClusterView({ client, clock, caches: new ClusterCaches({ clock, log: silentLog }) });
});
afterAll(async () => {
  await view?.stop();
  await client?.close();
  await Promise.all([fleet?.stop(), registry?.stop(), rm(folder, { recursive: true, force: true, maxRetries: 5 })]);
});

const cluster = () => fleet.cluster('east');

/** A pass as the applier runs it once the poller has seen everything. */
async function pass() {
  const kinds = [CLUSTER_EXTENSION_API, CLUSTER_OBJECT_SET_API];
  const newest = kinds.map(({ apiVersion, kind }) => {
    const versions = cluster()
      .list({ apiVersion, kind })
      .map(({ metadata }) => Number(metadata.resourceVersion));
    return [kind, String(Math.max(0, ...versions))];
  });
  const reads = await view.reads(Object.fromEntries(newest));
  return reconcileExtension(deps, { client, reads, name: 'lamp' }, new SystemClock(), new AbortController().signal);
}

/** Requests for the extension, its revisions and catalogs. */
const ownReads = () =>
  cluster()
    .requests.filter(
      ({ resource = '', verb }) => verb !== 'watch' && /^cluster(extension|objectset|catalog)s$/.test(resource),
    )
    .map(({ verb, resource }) => `${verb} ${resource}`);

it('reads its extension and revisions from the cache, and writes nothing', async () => {
  const digest = registry.put('bundles/lamp:v1.0.0', await bundleImage({ name: 'lamp', version: '1.0.0' }));
  const source = { sourceType: 'Catalog', catalog: { packageName: 'lamp' } };
  const { object } = await client.create({
    ...CLUSTER_EXTENSION_API,
    metadata: { name: 'lamp' },
    spec: { namespace: 'lights', source },
  });
  const extension = ClusterExtension.parse(object);
  const image = `${registry.host}/bundles/lamp@${digest}`;
  deps = await solvedFor(client, extension, image);
  // Once it is installed, the solution answers another problem: the poller has it solved anew.
  await expect.poll(pass, PATIENCE).toMatchObject({ waitsFor: 'the choice of a bundle, or its content' });
  deps = await solvedFor(client, extension, image, { installed: true });
  await expect.poll(pass, PATIENCE).toEqual({ rounds: 1, result: 'done' });
  cluster().requests.clear();
  expect(await pass()).toEqual({ rounds: 1, result: 'done' });
  expect(ownReads()).toEqual([]);
  expect(cluster().requests.writes()).toEqual([]);
});

it('repairs what another client deleted, decided on live reads', async () => {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'lights', name: 'lamp-settings' };
  await client.delete(settings);
  cluster().requests.clear();
  expect(await pass()).toMatchObject({ result: 'done' });
  expect(await client.get(settings)).toBeDefined();
  expect(ownReads()).toContain('list clusterobjectsets');
});
