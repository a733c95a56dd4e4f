import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LIMITS, PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { hubKeyFile } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { startQuickEnvironment } from '../story/quick-environment.js';
import { chainCatalogText, hasOlmKinds } from './ownership-support/chain-fleet.js';
import { runUp } from './up-support/run-up.js';

const SYSTEM = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };
const SOURCE = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', namespace: 'olm', name: 'shelf' };
const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
const CATALOG = 'pairs/catalog:latest';

let folder: string;
let kubeconfig: string;
let fleet: SimulatedFleet;
let east: SimulatedCluster;
let registry: InMemoryRegistry;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-pairs-'));
  [fleet, registry] = await Promise.all([startSimulatedFleet({ clusters: ['east'] }), startRegistry()]);
  east = fleet.cluster('east');
  kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  vi.stubEnv('FLOTILLA_KUBECONFIG', kubeconfig);
  const files = [{ path: 'configs/catalog.json', bytes: Buffer.from(await chainCatalogText(['v1.0.0'])) }];
  registry.put(CATALOG, await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  vi.unstubAllEnvs();
  await registry.stop();
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const Health = z.object({ details: z.record(z.string(), z.object({ detail: z.string() })) });

/** A hub at work, as its user sees it. */
type RunningHub = Readonly<{ owners(): Promise<string>; kill(): Promise<void> }>;
type Settings = Readonly<Record<string, string>>;

async function ownersAt(url: string | undefined): Promise<string> {
  if (url === undefined) return '';
  const health = Health.parse(await (await fetch(`${url}/healthz`)).json());
  return health.details['owners']?.detail ?? '';
}

/** Services of a release, with a Redis of their own. */
async function release(settings: Settings): Promise<RunningHub> {
  const environment = await startQuickEnvironment({ kubeconfigs: [kubeconfig], registry, settings });
  ends.push(() => environment.stop());
  const acting = environment.services.filter(({ service }) => service !== 'resolver-worker');
  return {
    owners: async () => (await Promise.all(acting.map(async (one) => ownersAt(await one.url())))).join(' and '),
    kill: async () => void (await Promise.all(environment.services.map((one) => one.stop('SIGKILL')))),
  };
}

/** `flotilla up` in a home of its own, with a copy of the key. */
async function up(settings: Settings): Promise<RunningHub> {
  const home = await mkdtemp(join(folder, 'home-'));
  const key = join(home, 'key');
  await copyFile(hubKeyFile(), key);
  const hub = runUp(['--kubeconfig', kubeconfig], {
    FLOTILLA_HUB_KEY_FILE: key,
    FLOTILLA_CLUSTERS_FILE: join(home, 'clusters.yaml'),
    FLOTILLA_CONTENT_DIR: join(home, 'content'),
    ...settings,
  });
  ends.push(() => hub.kill());
  await hub.running();
  const url = /Health (\S+)\/healthz/.exec(hub.said.out)?.[1];
  return { owners: () => ownersAt(url), kill: () => hub.kill() };
}

const state = () =>
  z
    .object({ status: z.object({ connectionState: z.object({ lastObservedState: z.string() }) }) })
    .safeParse(east.get(SOURCE)).data?.status.connectionState.lastObservedState;
const addNamespace = (name: string) => {
  east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  east.create({ ...GROUP, metadata: { name: 'own', namespace: name }, spec: {} });
};
const isSeen = (namespace: string) => east.get({ ...GROUP, namespace, name: 'own' })?.['status'] !== undefined;
const annotations = () => east.get(SYSTEM)?.metadata.annotations ?? {};
const instance = () => annotations()['flotilla.dev/hub-instance'];

describe('two hubs with one key', () => {
  it.each([
    { first: 'a release', second: 'a copy of it', start: [release, release] as const },
    { first: 'a release', second: 'flotilla up', start: [release, up] as const },
    { first: 'flotilla up', second: 'a release', start: [up, release] as const },
    { first: 'flotilla up', second: 'flotilla up in a copied home', start: [up, up] as const },
  ])(
    '$first and $second do not write in turns, and both name the other',
    async ({ start }) => {
      const one = await start[0]({ FLOTILLA_OUTBOUND_ADDRESSES: 'public,private,loopback' });
      await expect.poll(() => hasOlmKinds(fleet, 'east'), PATIENCE).toBe(true);
      east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
      const { apiVersion, kind, ...metadata } = SOURCE;
      east.create({ apiVersion, kind, metadata, spec: { sourceType: 'grpc', image: `${registry.host}/${CATALOG}` } });
      await expect.poll(state, PATIENCE).toBe('READY');
      const first = instance();

      const two = await start[1]({ FLOTILLA_OUTBOUND_ADDRESSES: 'public' });
      await expect.poll(two.owners, PATIENCE).toContain('manages the cluster, according to its answer');
      await expect.poll(one.owners, PATIENCE).toContain('another hub with the same identity');
      const { resourceVersion } = east.get(SOURCE)?.metadata ?? {};
      for (const name of ['one', 'two', 'three']) {
        addNamespace(name);
        await expect.poll(() => isSeen(name), PATIENCE).toBe(true);
      }
      expect(east.get(SOURCE)?.metadata.resourceVersion, 'the second cannot read the image, and would say so').toBe(
        resourceVersion,
      );
      expect(instance()).toBe(first);
    },
    LIMITS.test,
  );

  it(
    'are two hubs once one of them got an identity of its own as advised: no question is asked',
    async () => {
      await up({});
      await expect.poll(instance, PATIENCE).toBeDefined();
      const { 'flotilla.dev/hub': id } = annotations();
      const copy = await up({ FLOTILLA_HUB_ID: 'copy' });
      await expect.poll(copy.owners, PATIENCE).toContain(`hub ${id} manages the cluster`);
      expect(annotations()).not.toHaveProperty('flotilla.dev/hub-asks');
    },
    LIMITS.test,
  );

  it(
    'the second goes on once the first is gone and a person says so',
    async () => {
      const one = await up({});
      await expect.poll(instance, PATIENCE).toBeDefined();
      const { 'flotilla.dev/hub': id, 'flotilla.dev/hub-instance': first } = annotations();
      const two = await up({});
      await expect.poll(two.owners, PATIENCE).toContain('manages the cluster, according to its answer');
      await one.kill();
      const [, command = ''] = /"flotilla (clusters take-over [^"]*)"/.exec(await two.owners()) ?? [];
      expect(await runFlotilla(command.split(' '))).toMatchObject({
        exit: 0,
        out: `cluster east is free of instance ${first} of hub ${id}: the first running hub ${id} manages it\n`,
      });
      addNamespace('last');
      await expect.poll(() => isSeen('last'), PATIENCE).toBe(true);
      expect(instance()).not.toBe(first);
      expect(await two.owners()).toBe('no cluster belongs to another hub');
    },
    LIMITS.test,
  );
});
