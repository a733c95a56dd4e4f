import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { OWNER_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { SystemClock } from '#platform/clock/system-clock';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import type { ExtensionDeps } from '../../libs/lifecycle/src/v1/extensions/extension-deps.js';
import { reconcileExtension } from '../../libs/lifecycle/src/v1/reconcile-extension.js';
import { bundleImage } from '../story/extension-fixture.js';
import { solvedFor } from './extension-support/solved-extension.js';

let folder: string;
let fleet: SimulatedFleet;
let registry: InMemoryRegistry;
let client: KubeClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-deletion-'));
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
});
afterAll(async () => {
  await client?.close();
  await Promise.all([fleet?.stop(), registry?.stop(), rm(folder, { recursive: true, force: true, maxRetries: 5 })]);
});

const WRITES = new Set(['create', 'update', 'updateStatus', 'apply', 'patch', 'delete']);

/** Returns `client`, with `before` run before each write. */
const interrupted = (before: () => Promise<void>): KubeClient =>
  new Proxy(client, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      if (!WRITES.has(String(name))) return method.bind(target);
      return async (...given: readonly unknown[]) => {
        const options: unknown = given.at(-1);
        if (options === null || typeof options !== 'object' || !('dryRun' in options)) await before();
        return method.apply(target, given);
      };
    },
  });

const kindsLeft = async (name: string) => {
  const labelSelector = `${OWNER_NAME_LABEL}=${name}`;
  const kinds = [{ apiVersion: 'v1', kind: 'Secret' }, CLUSTER_OBJECT_SET_API, { apiVersion: 'v1', kind: 'ConfigMap' }];
  const found = await Promise.all(kinds.map((kind) => client.list(kind, { labelSelector })));
  return found.flatMap((list, at) => (list?.items ?? []).map(({ metadata }) => `${kinds[at]?.kind} ${metadata.name}`));
};

it('leaves nothing behind and fails no pass when the extension is deleted before any one of its writes', async () => {
  const digest = registry.put('bundles/lamp:v1.0.0', await bundleImage({ name: 'lamp', version: '1.0.0' }));
  const image = `${registry.host}/bundles/lamp@${digest}`;
  let writes = 0;
  for (let at = 1; ; at += 1) {
    const name = `lamp-${at}`;
    const source = { sourceType: 'Catalog', catalog: { packageName: 'lamp' } };
    const { object } = await client.create({
      ...CLUSTER_EXTENSION_API,
      metadata: { name },
      spec: { namespace: 'lights', source },
    });
    const deps = await solvedFor(client, ClusterExtension.parse(object), image);
    writes = 0;
    const gone = async () => (await client.list(CLUSTER_OBJECT_SET_API))?.items.length === 0;
    const deleting = interrupted(async () => {
      writes += 1;
      if (writes !== at) return;
      await client.delete({ ...CLUSTER_EXTENSION_API, name });
      await expect.poll(gone, PATIENCE).toBe(true);
    });
    const { signal } = new AbortController();
    await expect(
      reconcileExtension(deps, { client: deleting, reads: deleting, name }, new SystemClock(), signal),
      `deleted before write ${at}`,
    ).resolves.toMatchObject({ result: expect.stringMatching(/^(done|again|waits)$/) });
    const wasDeleted = writes >= at;
    if (!wasDeleted) await client.delete({ ...CLUSTER_EXTENSION_API, name });
    await expect.poll(() => kindsLeft(name), { ...PATIENCE, message: `deleted before write ${at}` }).toEqual([]);
    if (!wasDeleted) break;
  }
  expect(writes).toBeGreaterThan(10);
});

it('is installed again beside a Secret of its name that is still being collected', async () => {
  const digest = registry.put('bundles/lamp:v1.0.0', await bundleImage({ name: 'lamp', version: '1.0.0' }));
  const image = `${registry.host}/bundles/lamp@${digest}`;
  const name = 'again';
  const secretsOf = async () =>
    (await client.list({ apiVersion: 'v1', kind: 'Secret' }, { labelSelector: `${OWNER_NAME_LABEL}=${name}` }))
      ?.items ?? [];
  const sets = async () =>
    (await client.list(CLUSTER_OBJECT_SET_API, { labelSelector: `${OWNER_NAME_LABEL}=${name}` }))?.items ?? [];
  const install = async () => {
    const source = { sourceType: 'Catalog', catalog: { packageName: 'lamp' } };
    const { object } = await client.create({
      ...CLUSTER_EXTENSION_API,
      metadata: { name },
      spec: { namespace: 'lights', source },
    });
    return solvedFor(client, ClusterExtension.parse(object), image);
  };
  const pass = async (deps: ExtensionDeps) =>
    reconcileExtension(deps, { client, reads: client, name }, new SystemClock(), new AbortController().signal);
  await pass(await install());
  const [held] = await secretsOf();
  if (held === undefined) throw new Error('no Secret was made');
  const ref = { apiVersion: 'v1', kind: 'Secret', name: held.metadata.name ?? '', namespace: 'flotilla-system' };
  await client.patch(ref, { metadata: { finalizers: ['example.com/slow'] } });
  await client.delete({ ...CLUSTER_EXTENSION_API, name });
  await expect.poll(async () => (await sets()).length, PATIENCE).toBe(0);
  await expect.poll(async () => (await client.get(ref))?.metadata.deletionTimestamp, PATIENCE).toBeDefined();

  const deps = await install();
  await pass(deps);
  await client.patch(ref, { metadata: { finalizers: [] } });
  await expect
    .poll(async () => {
      await pass(deps);
      const [set] = await sets();
      const owners = (await secretsOf()).flatMap(({ metadata }) => metadata.ownerReferences ?? []);
      return set !== undefined && owners.length === 1 && owners[0]?.uid === set.metadata.uid;
    }, PATIENCE)
    .toBe(true);
  expect(JSON.stringify((await sets())[0]?.['status'])).not.toContain('not found');
});
