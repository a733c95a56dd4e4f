import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import {
  atVersion,
  chainCatalogText,
  csvs,
  hasOlmKinds,
  PACKAGE,
  subscribe,
  VERSIONS,
} from '../integration/ownership-support/chain-fleet.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

/** More than the applier writes at once, and than its cache keeps of its own writes before it sees them. */
const NAMESPACES = 1_200;
/** Statuses of so many copies are written at once, and twice if the phase changes meanwhile. */
const AT_ONCE = 500;
const WRITES = new Set(['create', 'update', 'patch', 'delete']);
const CSV = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };

let folder: string;
let fleet: SimulatedFleet;
let environment: ServicesEnvironment;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-wide-'));
  fleet = await startSimulatedFleet({ clusters: ['wide', 'ship'], deploymentReadyAfterMs: 100 });
  for (let n = 0; n < NAMESPACES; n += 1)
    fleet.cluster('wide').create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `team-${n}` } });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  environment = await startQuickEnvironment({ kubeconfigs: [kubeconfig] });
});
afterAll(async () => {
  await environment?.stop();
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function push(versions: readonly string[]): Promise<void> {
  const files = [{ path: 'configs/catalog.json', bytes: Buffer.from(await chainCatalogText(versions)) }];
  const image = await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } });
  await environment.registry.put('chains/fleet:v1', image);
}
const source = () => ({
  image: `${environment.registry.host}/chains/fleet:v1`,
  updateStrategy: { registryPoll: { interval: '2s' } },
});

type Copy = Readonly<{ metadata: { name: string; namespace?: string }; status?: { phase?: string } }>;

let writes = 0;
/** In how many namespaces there is a copy of each version in each phase. Counts the writes until then. */
function copies(): Readonly<Record<string, number>> {
  const cluster = fleet.cluster('wide');
  const asked = cluster.requests.splice(0);
  writes += asked.filter(({ verb, resource, namespace = '' }) => {
    return resource === 'clusterserviceversions' && namespace.startsWith('team-') && WRITES.has(verb);
  }).length;
  const counts: Record<string, number> = {};
  for (const { metadata, status } of cluster.list(CSV) as unknown as readonly Copy[]) {
    if (!metadata.namespace?.startsWith('team-')) continue;
    const what = `${metadata.name} ${status?.phase}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}
const everywhere = (version: string) => ({ [`${PACKAGE}.${version} Succeeded`]: NAMESPACES });
/** Waits until copies are so; returns the writes of copies since the last call. */
async function written(expected: Readonly<Record<string, number>>): Promise<number> {
  await expect.poll(copies, LONG_PATIENCE).toEqual(expected);
  const count = writes;
  writes = 0;
  return count;
}

describe('a cluster with many namespaces', () => {
  let install: number;
  let upgrade: number;

  it('has a copy of an operator for all namespaces in each, while another cluster is worked on', async () => {
    await expect.poll(() => ['wide', 'ship'].every((cluster) => hasOlmKinds(fleet, cluster)), PATIENCE).toBe(true);
    await push(VERSIONS.slice(0, 1));
    subscribe(fleet, 'wide', source(), { everywhere: true });
    await expect.poll(() => Object.keys(copies()).length, PATIENCE).toBeGreaterThan(0);
    subscribe(fleet, 'ship', source());
    await expect.poll(() => csvs(fleet, 'ship'), LONG_PATIENCE).toEqual(atVersion('v1.0.0'));
    install = await written(everywhere('v1.0.0'));
  });

  it('has copies of the next version alone after an upgrade', async () => {
    await push(VERSIONS.slice(0, 2));
    await expect.poll(() => csvs(fleet, 'ship'), LONG_PATIENCE).toEqual(atVersion('v1.1.0'));
    upgrade = await written(everywhere('v1.1.0'));
  });

  it('has no copies once the operator is removed; an upgrade costs no more than install and removal', async () => {
    fleet.cluster('wide').delete({ ...CSV, namespace: 'lights', name: `${PACKAGE}.v1.1.0` });
    const removal = await written({});
    expect(upgrade, JSON.stringify({ install, upgrade, removal })).toBeLessThanOrEqual(install + removal + AT_ONCE);
  });
});
