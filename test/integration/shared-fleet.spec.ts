import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogBundleOf } from '#core/catalog/bundle/bundle-blob';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { readTree } from '#platform/files/read-tree';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc-catalog-server';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import { installMissingCrds } from '../../apps/cli/src/clusters/install-crds.js';
import type { DemoEnvironment } from '../../apps/cli/src/demo/demo-environment.js';
import type { ServiceProcess } from '../../apps/cli/src/demo/service-process.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const CLUSTERS = Array.from({ length: 12 }, (_, index) => `ship-${index + 1}`);
const PACKAGE = 'lighthouse-operator';
const VERSIONS = ['v1.0.0', 'v1.1.0', 'v1.2.0'];
const NAMESPACE = 'lights';
const olm = (kind: string, version = 'v1alpha1') => ({ apiVersion: `operators.coreos.com/${version}`, kind });
const CSV = olm('ClusterServiceVersion');

let folder: string;
let fleet: SimulatedFleet;
let catalogs: CatalogServer;
let environment: DemoEnvironment;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-shared-'));
  [fleet, catalogs] = await Promise.all([
    startSimulatedFleet({ clusters: CLUSTERS, deploymentReadyAfterMs: 100 }),
    chainCatalog().then((catalog) => serveCatalog(catalog, { port: 0 })),
  ]);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  environment = await startQuickEnvironment({ kubeconfigs: [kubeconfig], appliers: 3 });
  await Promise.all(environment.clients.map(installMissingCrds));
});
afterAll(async () => {
  await environment?.stop();
  await catalogs?.stop();
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** All versions of the sample with their manifests in the catalog itself, each replacing the one before. */
async function chainCatalog() {
  const directory = join(import.meta.dirname, '../../examples/bundles', PACKAGE);
  const bundles = await Promise.all(
    VERSIONS.map(async (version) => {
      const { objects: _parsed, ...blob } = catalogBundleOf(readBundle(await readTree(join(directory, version))), '');
      return blob;
    }),
  );
  const entries = bundles.map(({ name }, index) => ({
    name,
    ...(index > 0 && { replaces: bundles[index - 1]?.name }),
  }));
  const blobs = [
    { schema: 'olm.package', name: PACKAGE, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: PACKAGE, name: 'stable', entries },
    ...bundles,
  ];
  const bytes = Buffer.from(blobs.map((one) => JSON.stringify(one)).join('\n'));
  return loadCatalog([{ path: 'catalog.json', bytes }]);
}

function subscribe(cluster: string): void {
  const one = fleet.cluster(cluster);
  for (const name of ['olm', NAMESPACE]) one.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const inNamespace = (name: string, namespace = NAMESPACE) => ({ metadata: { name, namespace } });
  one.create({ ...olm('OperatorGroup', 'v1'), ...inNamespace('own'), spec: { targetNamespaces: [NAMESPACE] } });
  const address = `127.0.0.1:${catalogs.port}`;
  one.create({ ...olm('CatalogSource'), ...inNamespace('chain', 'olm'), spec: { sourceType: 'grpc', address } });
  const spec = { name: PACKAGE, channel: 'stable', source: 'chain', sourceNamespace: 'olm' };
  const startingCSV = `${PACKAGE}.${VERSIONS[0]}`;
  one.create({ ...olm('Subscription'), ...inNamespace(PACKAGE), spec: { ...spec, startingCSV } });
}

const Phase = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  status: z.looseObject({ phase: z.string() }),
});
const csvs = (cluster: string): readonly string[] =>
  fleet
    .cluster(cluster)
    .list(CSV)
    .flatMap((csv) => Phase.safeParse(csv).data ?? [])
    .map(({ metadata, status }) => `${metadata.name} ${status.phase}`);
const Plan = z.looseObject({
  metadata: z.looseObject({ creationTimestamp: z.string() }),
  spec: z.looseObject({ clusterServiceVersionNames: z.array(z.string()), generation: z.number() }),
  status: z.looseObject({ phase: z.string() }),
});
/** What was installed by which plans, in their order. */
const plans = (cluster: string): readonly string[] =>
  fleet
    .cluster(cluster)
    .list(olm('InstallPlan'))
    .map((plan) => Plan.parse(plan))
    .toSorted((a, b) => a.spec.generation - b.spec.generation)
    .map(({ spec, status }) => `${spec.clusterServiceVersionNames.join(' ')} ${status.phase}`);
const atTheEnd = [`${PACKAGE}.${VERSIONS.at(-1)} Succeeded`];

/** The shards that a process has taken, as it logs them. */
const Taken = z.looseObject({ msg: z.literal('shards are worked on by this process'), shards: z.array(z.number()) });
const shardsOf = async (service: ServiceProcess) =>
  (await service.logged()).flatMap((line) => Taken.safeParse(line).data?.shards ?? []);
const appliers = () => environment.services.filter(({ service }) => service === 'applier');

describe('three appliers that share twelve clusters', () => {
  it('divide them; those of one that is killed are upgraded by the others, each step once', async () => {
    await expect
      .poll(() => Promise.all(appliers().map(async (applier) => (await shardsOf(applier)).length > 0)), PATIENCE)
      .toEqual([true, true, true]);
    for (const cluster of CLUSTERS) subscribe(cluster);
    const begun = () => CLUSTERS.filter((cluster) => csvs(cluster).length > 0).length;
    await expect.poll(begun, PATIENCE).toBeGreaterThan(CLUSTERS.length / 3);
    await appliers()[1]?.stop('SIGKILL');
    for (const cluster of CLUSTERS) await expect.poll(() => csvs(cluster), LONG_PATIENCE).toEqual(atTheEnd);

    for (const cluster of CLUSTERS)
      expect(plans(cluster), cluster).toEqual(VERSIONS.map((version) => `${PACKAGE}.${version} Complete`));
  });
});
