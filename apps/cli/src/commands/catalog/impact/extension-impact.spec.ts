import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { put } from '../../../clusters/live-objects.fixture.js';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

let folder = '';
let fleet: SimulatedFleet;
let registry: InMemoryRegistry;

type Entry = Readonly<{ name: string; replaces?: string }>;
const packageOf = (wanted: string, entries: readonly Entry[]): object[] => [
  { schema: 'olm.package', name: wanted, defaultChannel: 'stable' },
  { schema: 'olm.channel', package: wanted, name: 'stable', entries },
  ...entries.map(({ name }) => ({
    ...{ schema: 'olm.bundle', package: wanted, name, image: `registry.example/${name}` },
    properties: [{ type: 'olm.package', value: { packageName: wanted, version: name.replace(/^\w+\.v/, '') } }],
  })),
];
const lines = (blobs: readonly object[]): string => blobs.map((blob) => JSON.stringify(blob)).join('\n');

const ONE = { name: 'lamp.v1.0.0' };
const TWO = { name: 'lamp.v1.1.0', replaces: 'lamp.v1.0.0' };
const THREE = { name: 'lamp.v1.1.1', replaces: 'lamp.v1.1.0' };
const BUOY = packageOf('buoy', [{ name: 'buoy.v1.0.0' }]);

/** What clusters have now: a lamp and a buoy, in a registry. */
async function pushed(): Promise<string> {
  const bytes = Buffer.from(lines([...packageOf('lamp', [ONE]), ...BUOY]));
  const files = [{ path: 'configs/catalog.json', bytes }];
  const digest = registry.put('shelf:v1', await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
  return `${registry.host}/shelf@${digest}`;
}

function extension(name: string, installed: string | undefined, catalog: object): void {
  const bundle = installed === undefined ? undefined : { name: installed, version: installed.replace(/^\w+\.v/, '') };
  put(fleet.cluster('east'), {
    ...CLUSTER_EXTENSION_API,
    metadata: { name },
    spec: { namespace: 'lights', source: { sourceType: 'Catalog', catalog } },
    ...(bundle === undefined ? {} : { status: { install: { bundle } } }),
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-extension-impact-'));
  [fleet, registry] = await Promise.all([startSimulatedFleet({ clusters: ['east'] }), startRegistry()]);
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  const clients = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
  await Promise.all(clients.map((client) => serveKnownCrds(client, fleet.cluster(client.cluster))));
  await Promise.all(clients.map((client) => client.close()));
  const ref = await pushed();
  for (const [name, image] of [
    ['shelf', ref],
    ['gone', `${registry.host}/gone:v1`],
  ] as const) {
    const spec = { source: { type: 'Image', image: { ref: image } } };
    put(fleet.cluster('east'), { ...CLUSTER_CATALOG_API, metadata: { name }, spec });
  }
  const selector = { matchLabels: { 'olm.operatorframework.io/metadata.name': 'shelf' } };
  extension('lamp', 'lamp.v1.0.0', { packageName: 'lamp', selector });
  extension('pinned', 'lamp.v1.0.0', { packageName: 'lamp', version: '1.0.0', selector });
  extension('soon', undefined, { packageName: 'lamp', channels: ['stable'], selector });
  extension('buoy', 'buoy.v1.0.0', { packageName: 'buoy', selector });
  extension('never', undefined, { packageName: 'lamp', version: '>=9.0.0', selector });
  extension('elsewhere', 'lamp.v1.0.0', { packageName: 'lamp', selector: { matchLabels: { tier: 'other' } } });
});
afterAll(async () => {
  await Promise.all([fleet.stop(), registry.stop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_CLUSTERS_FILE', join(folder, 'clusters.yaml'));
  vi.stubEnv('FLOTILLA_CONTENT_DIR', join(folder, 'content'));
  return () => vi.unstubAllEnvs();
});

async function catalog(name: string, blobs: readonly object[]): Promise<string> {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, 'catalog.json'), lines(blobs));
  return join(folder, name);
}
const impact = (path: string, ...args: readonly string[]) => runFlotilla(['catalog', 'impact', path, ...args]);
const outlined = (out: string) =>
  (JSON.parse(out).items as Record<string, unknown>[]).map(({ extension: name, effect, from, hops }) => [
    ...[name, effect, from],
    hops,
  ]);

describe('flotilla catalog impact on ClusterExtensions', () => {
  it('follows each to where the catalog leads it, and says what it would lose', async () => {
    const path = await catalog('new', packageOf('lamp', [ONE, TWO, THREE]));
    const { out, exit } = await impact(path, '--replaces', 'shelf', '-o', 'json');
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({ verdict: 'no', replaced: ['east/shelf'] });
    expect(outlined(out)).toEqual([
      ['buoy', 'breaks', 'buoy.v1.0.0', []],
      ['lamp', 'upgrades', 'lamp.v1.0.0', ['lamp.v1.1.0', 'lamp.v1.1.1']],
      ['never', 'held', '', []],
      ['pinned', 'stays', 'lamp.v1.0.0', []],
      ['soon', 'upgrades', '', ['lamp.v1.1.1']],
    ]);
    expect(answer.items[0].message).toBe(
      'error upgrading from currently installed version "1.0.0": no bundles found for package "buoy"',
    );
    expect(answer.items[1]).toMatchObject({ subscription: '', namespace: 'lights', content: { changes: ['Minor'] } });
    expect(exit).toBe(1);
  });

  it('has the rows of people, what breaks first', async () => {
    const path = await catalog('kept', [...packageOf('lamp', [ONE, TWO]), ...BUOY]);
    const { out, exit } = await impact(path, '--replaces', 'shelf');
    expect(out).toMatch(/^upgrades +lamp +lamp\.v1\.0\.0 +lamp\.v1\.1\.0 +1 +Minor +1 +1$/m);
    expect(out).toMatch(/^upgrades +lamp +stable +- +lamp\.v1\.1\.0 +1 +Install +1 +1$/m);
    expect(out).toContain('\nlamp held in ClusterExtension never of east:\n  no bundles found for package "lamp"');
    expect(out.split('\n').at(-2)).toBe(
      'For ClusterExtensions only versions are compared, not rights, CRDs and webhooks.',
    );
    expect(exit).toBe(0);
  });

  it('says why one upgrades no further than its major version', async () => {
    const path = await catalog('major', [
      ...packageOf('lamp', [ONE, { name: 'lamp.v2.0.0', replaces: 'lamp.v1.0.0' }]),
      ...BUOY,
    ]);
    const { items } = JSON.parse((await impact(path, '--replaces', 'shelf', '-o', 'json')).out);
    const lamp = items.find((one: { extension: string }) => one.extension === 'lamp');
    expect(lamp).toMatchObject({ effect: 'stays', message: expect.stringContaining('2.0.0') });
  });

  it('names no ClusterCatalog where none of that name is there', async () => {
    const path = await catalog('new', packageOf('lamp', [ONE]));
    const { err, exit } = await impact(path, '--replaces', 'shelv');
    expect(err).toContain('error: none of the clusters that answered has CatalogSource or ClusterCatalog shelv');
    expect(exit).toBe(1);
  });
});
