import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { startQuickEnvironment } from '../story/quick-environment.js';
import {
  atVersion,
  chainCatalogText,
  csvs,
  onePlanEach,
  plans,
  shardsOf,
  subscribe,
  VERSIONS,
} from './ownership-support/chain-fleet.js';

const CLUSTERS = Array.from({ length: 12 }, (_, index) => `ship-${index + 1}`);

let folder: string;
let fleet: SimulatedFleet;
let catalogs: CatalogServer;
let environment: ServicesEnvironment;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-shared-'));
  [fleet, catalogs] = await Promise.all([
    startSimulatedFleet({ clusters: CLUSTERS, deploymentReadyAfterMs: 100 }),
    chainCatalogText(VERSIONS).then(async (text) => {
      const catalog = await loadCatalog([{ path: 'catalog.json', bytes: Buffer.from(text) }]);
      return serveCatalog(catalog, { port: 0 });
    }),
  ]);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  environment = await startQuickEnvironment({ kubeconfigs: [kubeconfig], appliers: 3 });
  await Promise.all(environment.clients.map(serveCrds));
});
afterAll(async () => {
  await environment?.stop();
  await catalogs?.stop();
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const appliers = () => environment.services.filter(({ service }) => service === 'applier');

describe('three appliers that share twelve clusters', () => {
  it('divide them; those of one that is killed are upgraded by the others, each step once', async () => {
    await expect
      .poll(() => Promise.all(appliers().map(async (applier) => (await shardsOf(applier)).length > 0)), PATIENCE)
      .toEqual([true, true, true]);
    for (const cluster of CLUSTERS) subscribe(fleet, cluster, { address: `127.0.0.1:${catalogs.port}` });
    const begun = () => CLUSTERS.filter((cluster) => csvs(fleet, cluster).length > 0).length;
    await expect.poll(begun, PATIENCE).toBeGreaterThan(CLUSTERS.length / 3);
    await appliers()[1]?.stop('SIGKILL');
    for (const cluster of CLUSTERS)
      await expect.poll(() => csvs(fleet, cluster), LONG_PATIENCE).toEqual(atVersion('v1.2.0'));

    for (const cluster of CLUSTERS) expect(plans(fleet, cluster), cluster).toEqual(onePlanEach(VERSIONS));
  });
});
