import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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
import { put } from '../clusters/live-objects.fixture.js';
import { runFlotilla } from '../run-flotilla.fixture.js';

let folder = '';
let fleet: SimulatedFleet;
let registry: InMemoryRegistry;
const TIME = '2026-01-01T00:00:00Z';
const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: TIME,
});
const bundle = (version: string) => ({
  schema: 'olm.bundle',
  package: 'lamp',
  name: `lamp.v${version}`,
  image: `registry.example/lamp:${version}`,
  properties: [{ type: 'olm.package', value: { packageName: 'lamp', version } }],
});
const entries = [{ name: 'lamp.v1.0.0' }, { name: 'lamp.v2.0.0', replaces: 'lamp.v1.0.0' }];
const BLOBS = [
  { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' },
  { schema: 'olm.channel', package: 'lamp', name: 'stable', entries },
  ...['1.0.0', '2.0.0'].map(bundle),
];

async function catalogImage(): Promise<string> {
  const bytes = Buffer.from(BLOBS.map((blob) => JSON.stringify(blob)).join('\n'));
  const files = [{ path: 'configs/catalog.json', bytes }];
  const digest = registry.put('shelf:latest', await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
  return `${registry.host}/shelf@${digest}`;
}

function extension(name: string, status: object, catalog: object = {}) {
  const source = { sourceType: 'Catalog', catalog: { packageName: 'lamp', ...catalog } };
  put(fleet.cluster('east'), {
    ...CLUSTER_EXTENSION_API,
    metadata: { name },
    spec: { namespace: 'lights', source },
    status,
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-live-extensions-'));
  [fleet, registry] = await Promise.all([startSimulatedFleet({ clusters: ['east'] }), startRegistry()]);
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  const clients = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
  await Promise.all(clients.map((client) => serveKnownCrds(client, fleet.cluster(client.cluster))));
  await Promise.all(clients.map((client) => client.close()));
  const ref = await catalogImage();
  put(fleet.cluster('east'), {
    ...CLUSTER_CATALOG_API,
    metadata: { name: 'shelf' },
    spec: { source: { type: 'Image', image: { ref: `${registry.host}/shelf:latest` } } },
    status: { resolvedSource: { type: 'Image', image: { ref } } },
  });
  const installed = { install: { bundle: { name: 'lamp.v1.0.0', version: '1.0.0' } } };
  extension('lamp', {
    ...installed,
    conditions: [
      condition('Installed', 'True', 'Succeeded', 'Installed bundle registry.example/lamp:1.0.0 successfully'),
      condition('Progressing', 'True', 'Succeeded', 'Revision 1.0.0 has rolled out.'),
      condition('Available', 'True', 'ProbesSucceeded', 'Objects are available and pass all probes.'),
    ],
  });
  const nothing = 'no bundles found for package "lamp" matching version "3.x"';
  extension(
    'lost',
    {
      conditions: [
        condition('Installed', 'False', 'Failed', 'No bundle installed'),
        condition('Progressing', 'True', 'Retrying', nothing),
      ],
    },
    { version: '3.x' },
  );
});
afterAll(async () => {
  await Promise.all([fleet.stop(), registry.stop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_CLUSTERS_FILE', join(folder, 'clusters.yaml'));
  return () => vi.unstubAllEnvs();
});

describe('ClusterExtensions of clusters', () => {
  it('are listed with the columns of their definition', async () => {
    const { out, exit } = await runFlotilla(['get', 'extensions', '-o', 'wide']);
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) =>
        line
          .trimEnd()
          .replaceAll(/ {2,}/g, ' | ')
          .replace(/\| \d+s \|/, '| AGE |'),
      );
    expect([exit, rows]).toEqual([
      0,
      [
        'CLUSTER | NAME | INSTALLED BUNDLE | VERSION | INSTALLED | PROGRESSING | AGE | PACKAGE | NAMESPACE',
        'east | lamp | lamp.v1.0.0 | 1.0.0 | True | True | AGE | lamp | lights',
        'east | lost | False | True | AGE | lamp | lights',
      ],
    ]);
  });

  it('are explained: what is there, and why the newest version does not come', async () => {
    const { out, exit } = await runFlotilla(['explain', 'extension', 'lamp', '-C', 'east']);
    expect(out.split('\n')).toEqual([
      'ClusterExtension lamp of east',
      '  Installed is True (Succeeded): Installed bundle registry.example/lamp:1.0.0 successfully.',
      '  Progressing is True (Succeeded): Revision 1.0.0 has rolled out.',
      '',
      'ClusterExtension lamp stays at lamp.v1.0.0 1.0.0 of catalog shelf.',
      'It is the highest version that is installed or one upgrade away.',
      'Not lamp.v2.0.0 2.0.0 of catalog shelf: it is of another major version than 1.0.0: set spec.source.catalog.version to it.',
      '',
    ]);
    expect(exit).toBe(0);
  });

  it('are explained: why there is nothing for one', async () => {
    const { out, exit } = await runFlotilla(['explain', 'clusterextension', 'lost', '-C', 'east']);
    expect(out).toContain('Not lamp.v2.0.0 2.0.0 of catalog shelf: version "3.x" excludes it.');
    expect(exit).toBe(1);
  });
});
