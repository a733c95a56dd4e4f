import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { csv, operatorGroup, put, subscription } from '../../apps/cli/src/clusters/live-objects.fixture.js';

let folder = '';
let fleet: SimulatedFleet;
let registry: InMemoryRegistry;

const blobs = (name: string, entries: readonly Readonly<{ name: string; replaces?: string }>[]) => [
  { schema: 'olm.package', name, defaultChannel: 'stable' },
  { schema: 'olm.channel', package: name, name: 'stable', entries },
  ...entries.map(({ name: bundle }) => ({
    schema: 'olm.bundle',
    package: name,
    name: bundle,
    image: `registry.example/${bundle}`,
    properties: [
      { type: 'olm.package', value: { packageName: name, version: bundle.slice(bundle.indexOf('.v') + 2) } },
    ],
  })),
];
const BLOBS = [
  ...blobs('lamp', [
    { name: 'lamp.v1.0.0' },
    { name: 'lamp.v1.1.0', replaces: 'lamp.v1.0.0' },
    { name: 'lamp.v2.0.0', replaces: 'lamp.v1.1.0' },
  ]),
  ...blobs('mill', [{ name: 'mill.v1.0.0' }]),
];

/** Two ClusterExtensions of package lamp, and an operator of OLM Classic that could become one. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-assess-v1-'));
  [fleet, registry] = await Promise.all([startSimulatedFleet({ clusters: ['east'] }), startRegistry()]);
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_CONTENT_DIR', join(folder, 'content'));
  const clients = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
  await Promise.all(clients.map((client) => serveKnownCrds(client, fleet.cluster(client.cluster))));
  await Promise.all(clients.map((client) => client.close()));
  const bytes = Buffer.from(BLOBS.map((blob) => JSON.stringify(blob)).join('\n'));
  const files = [{ path: 'configs/catalog.json', bytes }];
  const digest = registry.put('shelf:latest', await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
  const image = `${registry.host}/shelf@${digest}`;
  const east = fleet.cluster('east');
  const extension = (name: string, version: string, catalog: object) => ({
    ...CLUSTER_EXTENSION_API,
    metadata: { name },
    spec: { namespace: 'lights', source: { sourceType: 'Catalog', catalog: { packageName: 'lamp', ...catalog } } },
    status: { install: { bundle: { name: `lamp.v${version}`, version } } },
  });
  const grouped = operatorGroup();
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
    {
      ...CLUSTER_CATALOG_API,
      metadata: { name: 'shelf' },
      spec: { source: { type: 'Image', image: { ref: image } } },
      status: { resolvedSource: { type: 'Image', image: { ref: image } } },
    },
    extension('free', '1.0.0', {}),
    extension('pinned', '1.0.0', { version: '1.0.x' }),
    { ...CATALOG_SOURCE_API, metadata: { name: 'samples', namespace: 'olm' }, spec: { sourceType: 'grpc', image } },
    { ...grouped, status: { lastUpdated: '2026-01-01T00:00:00Z', namespaces: ['team'] } },
    csv('mill.v1.0.0', 'Succeeded'),
    subscription({ status: { installedCSV: 'mill.v1.0.0', currentCSV: 'mill.v1.0.0', state: 'AtLatestKnown' } }),
  ];
  for (const object of objects) put(east, object);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([fleet.stop(), registry.stop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The built command: threads that read catalogs are files of it. */
const flotilla = (...args: readonly string[]) => promisify(execFile)(join(PROJECT_ROOT, 'bin/flotilla'), args);

describe('flotilla assess, of OLM v1', () => {
  it('says what a ClusterExtension could get, what keeps it back, and what could become one', async () => {
    const { stdout: out } = await flotilla('assess');
    expect(out).toMatch(/^east +- +lamp +lamp\.v1\.0\.0 +lamp\.v2\.0\.0 +1, then no path +Automatic +- +-$/m);
    expect(out).toMatch(/^east +- +lamp +lamp\.v1\.0\.0 +lamp\.v2\.0\.0 +no path +Automatic +- +-$/m);
    expect(out).toMatch(/^east +team +mill +mill\.v1\.0\.0 +mill\.v1\.0\.0 +- +Automatic +- +yes$/m);
    expect(out).toContain(
      'no upgrade path to lamp.v2.0.0: free: the upgrade path ends at lamp.v1.1.0: it is of another major version than 1.1.0: set spec.source.catalog.version to it',
    );
    expect(out).toContain('no upgrade path to lamp.v2.0.0: pinned: version "1.0.x" excludes it');
    expect(out).toContain('1 operator of OLM Classic could become a ClusterExtension');
    expect(out).toContain('→ flotilla migrate subscription mill -n team -C east --dry-run');
  });

  it('gives the same to programs', async () => {
    const { stdout: out } = await flotilla('assess', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      totals: { operators: 3, withoutWay: 2, movable: 1 },
      items: [
        {
          operators: [
            { api: 'classic', name: 'mill', move: [] },
            { api: 'v1', name: 'free', hops: ['lamp.v1.1.0'], newest: 'lamp.v2.0.0', move: null },
            { api: 'v1', name: 'pinned', hops: [] },
          ],
        },
      ],
    });
  });
});
