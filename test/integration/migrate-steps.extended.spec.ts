import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/kernel/api/cluster-service-version';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { annotationsFile, csv, file } from '#core/v1/bundle-render/sample-bundle.fixture';
import { buildImage } from '#platform/registry/image-builder';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { serveCrds } from '#testing/cluster/served-crds';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { put } from '../../apps/cli/src/clusters/live-objects.fixture.js';
import { migrateSubscription } from '../../apps/cli/src/commands/migrate/to-extension.js';
import { migrateExtension } from '../../apps/cli/src/commands/migrate/to-subscription.js';
import { recorder } from '../../apps/cli/src/run-flotilla.fixture.js';

const at = { namespace: 'team' };
const RBAC = 'rbac.authorization.k8s.io/v1';
const OWNED = { 'olm.owner': 'gear.v1.0.0', 'olm.owner.namespace': 'team', 'olm.owner.kind': 'ClusterServiceVersion' };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gear', ...at };
const RULES = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const BUNDLE_CSV = csv({ version: '1.0.0' }, { clusterPermissions: [{ serviceAccountName: 'gear', rules: RULES }] });

let folder = '';
let registry: InMemoryRegistry;
let direct: DirectCluster;
let content: Server;
/** Address of the content of the catalog. */
let catalog = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-migrate-'));
  registry = await startRegistry();
  vi.stubEnv('FLOTILLA_CONTENT_DIR', join(folder, 'content'));
  vi.stubEnv('FLOTILLA_OUTBOUND_ADDRESSES', 'public,private,loopback');
  const bundle = { files: [annotationsFile, file('manifests/csv.yaml', BUNDLE_CSV)], labels: {} };
  const image = `${registry.host}/gear@${registry.put('gear:v1', await buildImage(bundle))}`;
  const blobs = [
    { schema: 'olm.package', name: 'gear', defaultChannel: 'stable' },
    { schema: 'olm.channel', name: 'stable', package: 'gear', entries: [{ name: 'gear.v1.0.0' }] },
    {
      ...{ schema: 'olm.bundle', name: 'gear.v1.0.0', package: 'gear', image },
      properties: [{ type: 'olm.package', value: { packageName: 'gear', version: '1.0.0' } }],
    },
  ];
  const bytes = Buffer.from(blobs.map((blob) => JSON.stringify(blob)).join('\n'));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  // Serves the content of a catalog as a hub does.
  content = createServer((request, response) => {
    const isIt = request.url === `/content/${digest}`;
    response.writeHead(isIt ? 200 : 404, { 'content-length': isIt ? bytes.length : 0 }).end(isIt ? bytes : undefined);
  });
  await new Promise<void>((resolve) => content.listen(0, '127.0.0.1', resolve));
  catalog = `http://127.0.0.1:${Object(content.address()).port}/content/${digest}`;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([registry.stop(), new Promise((resolve) => content.close(resolve))]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(async () => {
  direct = await installed();
});
afterEach(() => direct?.stop());

/** Makes a cluster with an operator that watches all namespaces, as OLM Classic leaves it. */
async function installed(): Promise<DirectCluster> {
  const made = directCluster('east', { deploymentReadyAfterMs: 0 });
  await serveCrds(made.client);
  const { cluster } = made;
  for (const name of ['team', 'olm', 'other'])
    cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  put(cluster, {
    ...CATALOG_SOURCE_API,
    metadata: { name: 'gears', ...at },
    spec: { sourceType: 'grpc', image: 'registry.test/gears:v1' },
    status: { connectionState: { lastObservedState: 'READY', address: catalog } },
  });
  put(cluster, {
    ...OPERATOR_GROUP_API,
    metadata: { name: 'all', ...at },
    spec: {},
    status: { namespaces: [''], lastUpdated: '2026-01-01T00:00:00Z' },
  });
  const spec = { name: 'gear', channel: 'stable', source: 'gears', sourceNamespace: 'team' };
  const status = {
    installedCSV: 'gear.v1.0.0',
    currentCSV: 'gear.v1.0.0',
    state: 'AtLatestKnown',
    lastUpdated: '2026-01-01T00:00:00Z',
  };
  put(cluster, { ...SUBSCRIPTION_API, metadata: { name: 'gear', ...at }, spec, status });
  const { spec: wanted } = BUNDLE_CSV;
  const metadata = { name: 'gear.v1.0.0', ...at, finalizers: [CSV_CLEANUP_FINALIZER] };
  put(cluster, { ...CSV_API, metadata, spec: { displayName: 'gear', ...wanted }, status: { phase: 'Succeeded' } });
  const copied = { name: 'gear.v1.0.0', namespace: 'other', labels: { 'olm.copiedFrom': 'team' } };
  put(cluster, {
    ...CSV_API,
    metadata: copied,
    spec: { displayName: 'gear', ...wanted },
    status: { phase: 'Succeeded', reason: 'Copied' },
  });
  const owner = cluster.get({ ...CSV_API, name: 'gear.v1.0.0', ...at });
  const ownerReferences = [
    { ...CSV_API, name: 'gear.v1.0.0', uid: owner?.metadata.uid ?? '', controller: false, blockOwnerDeletion: false },
  ];
  const [deployment] = wanted.install.spec.deployments;
  const { template, ...rest } = Object(deployment).spec;
  const annotations = { 'olm.targetNamespaces': '', 'olm.operatorNamespace': 'team', 'olm.operatorGroup': 'all' };
  const inPod = { ...template, metadata: { ...template.metadata, annotations } };
  const owned = { ...at, labels: OWNED, ownerReferences };
  cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'gear', ...owned } });
  cluster.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'gear', ...owned },
    spec: { ...rest, revisionHistoryLimit: 1, template: inPod },
  });
  cluster.create({
    apiVersion: RBAC,
    kind: 'ClusterRole',
    metadata: { name: 'gear.v1.0.0-classic', labels: OWNED },
    rules: RULES,
  });
  return made;
}

const SUBSCRIPTION = {
  name: 'gear',
  ...at,
  dryRun: false,
  timeoutMs: 400,
  hub: undefined,
  access: { cluster: 'east' },
};
async function there(options: object = {}) {
  const { result, io } = recorder();
  await migrateSubscription(direct.client, io, { ...SUBSCRIPTION, ...options });
  return result;
}
async function back(timeoutMs = 400) {
  const { result, io } = recorder();
  await migrateExtension(direct.client, io, { name: 'gear', dryRun: false, timeoutMs });
  return result;
}
/** Plays a hub or OLM meanwhile: a ClusterServiceVersion with a running Deployment succeeds. */
async function withOlm<T>(work: Promise<T>): Promise<T> {
  const succeed = () => {
    const ref = { ...CSV_API, name: 'gear.v1.0.0', ...at };
    if (direct.cluster.get(ref) === undefined) return;
    direct.cluster.edit(ref, (live) => Object.assign(live, { status: { phase: 'Succeeded' } }), 'status');
  };
  const timer = setInterval(succeed, 20);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
/** Returns the state that users see: the objects, their owners, and if the same Pods still run. */
const state = () => {
  const live = direct.cluster.get(DEPLOYMENT);
  const names = (kind: Readonly<{ apiVersion: string; kind: string }>) =>
    direct.cluster
      .list(kind)
      .map(({ metadata }) => metadata.name)
      .toSorted();
  return {
    owners: live?.metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`) ?? [],
    generation: live?.metadata.generation,
    template: Object(live?.['spec']).template,
    csvs: names(CSV_API),
    subscriptions: names(SUBSCRIPTION_API),
    extensions: names(CLUSTER_EXTENSION_API),
    sets: names(CLUSTER_OBJECT_SET_API),
    secrets: names({ apiVersion: 'v1', kind: 'Secret' }),
    roles: names({ apiVersion: RBAC, kind: 'ClusterRole' }).filter((name) => name?.startsWith('gear')),
  };
};

/** A fifth of the writes in each run; FLOTILLA_KILL_STRIDE=1 takes all. */
const STRIDE = Number(process.env['FLOTILLA_KILL_STRIDE'] ?? 5);

describe('flotilla migrate', () => {
  it('turns a Subscription into a ClusterExtension and back, and leaves what runs', async () => {
    const before = state();
    expect(await there()).toMatchObject({ exit: 0, out: expect.stringContaining('1 Deployment still running\n') });
    expect(state()).toMatchObject({
      ...{ owners: ['ClusterObjectSet gear-1'], generation: before.generation, template: before.template },
      ...{ csvs: [], subscriptions: [], extensions: ['gear'], sets: ['gear-1'] },
      roles: [expect.stringMatching(/^gear\.v1\.0\.0-gear-/)],
    });
    const [set] = direct.cluster.list(CLUSTER_OBJECT_SET_API);
    expect(set?.metadata).toMatchObject({
      annotations: { 'olm.operatorframework.io/migrated-from-subscription': 'team/gear' },
      ownerReferences: [{ kind: 'ClusterExtension', name: 'gear', controller: true }],
    });
    expect(await withOlm(back())).toMatchObject({ exit: 0 });
    expect(state()).toEqual({ ...before, csvs: ['gear.v1.0.0'] });
  });

  it('says what it would do, and changes nothing', async () => {
    direct.cluster.requests.clear();
    expect(await there({ dryRun: true })).toMatchObject({
      exit: 0,
      out: expect.stringContaining('ClusterExtension gear would manage gear.v1.0.0 instead of the Subscription\n'),
      err: expect.stringContaining('note: 1 copy of its ClusterServiceVersion in other namespaces will be deleted: '),
    });
    expect(direct.cluster.requests.writes()).toEqual([]);
  });

  it('is refused with what to do, and changes nothing', async () => {
    put(direct.cluster, {
      ...SUBSCRIPTION_API,
      metadata: { name: 'gear', namespace: 'other' },
      spec: { name: 'gear', source: 'gears', sourceNamespace: 'team' },
    });
    direct.cluster.requests.clear();
    expect(await there()).toMatchObject({
      exit: 1,
      err: expect.stringMatching(
        /^error: Subscription other\/gear has package gear, too: delete one[\s\S]*nothing was changed\n$/,
      ),
    });
    expect(direct.cluster.requests.writes()).toEqual([]);
  });

  it('takes nothing that another controller has', async () => {
    direct.cluster.edit({ apiVersion: 'v1', kind: 'ServiceAccount', name: 'gear', ...at }, ({ metadata }) => {
      metadata.ownerReferences = [{ apiVersion: 'x/v1', kind: 'Robot', name: 'mine', uid: '1', controller: true }];
    });
    expect(await there()).toMatchObject({
      exit: 1,
      err: expect.stringContaining('ServiceAccount team/gear belongs to Robot mine'),
    });
  });

  it('does not go back under another version', async () => {
    await there();
    const bundle = { name: 'gear.v2.0.0', version: '2.0.0' };
    const status = { install: { bundle } };
    direct.cluster.edit(
      { ...CLUSTER_EXTENSION_API, name: 'gear' },
      (live) => Object.assign(live, { status }),
      'status',
    );
    expect(await back()).toMatchObject({
      exit: 1,
      err: expect.stringContaining('has gear.v2.0.0, but was moved with gear.v1.0.0: first set version 1.0.0'),
    });
  });

  it.each([
    { way: 'there', run: () => there(), prepare: async () => undefined },
    { way: 'back', run: () => withOlm(back()), prepare: async () => void (await there()) },
  ])('killed after any of its writes on the way $way ends as one that was not', async ({ run, prepare }) => {
    await prepare();
    await run();
    const { secrets, ...end } = state();
    let ended = false;
    for (let last = 1 + Math.floor(Math.random() * STRIDE); !ended; last += STRIDE) {
      await direct.stop();
      direct = await installed();
      await prepare();
      let writes = 0;
      direct.cluster.lossOf = ({ verb }) => {
        if (!['get', 'list', 'watch'].includes(verb)) writes += 1;
        return writes >= last ? 'answer' : undefined;
      };
      ended = await run().then(
        () => true,
        () => false,
      );
      direct.cluster.lossOf = () => undefined;
      if (!ended) await run().catch((error: unknown) => error);
      const { secrets: now, ...reached } = state();
      expect(reached, `after write ${last}`).toEqual(end);
      expect(now.length, `Secrets after write ${last}`).toBe(secrets.length);
      expect(last).toBeLessThan(80);
    }
  });
});
