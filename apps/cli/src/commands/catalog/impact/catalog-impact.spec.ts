import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { refOf } from '#core/kernel/api/kubernetes-object';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { configMapCatalog, csv, operatorGroup, put, subscription } from '../../../clusters/live-objects.fixture.js';
import { runFlotilla } from '../../../run-flotilla.fixture.js';
import { repositoryOf } from './replaced-sources.js';

let folder = '';
let fleet: SimulatedFleet;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-impact-'));
  fleet = await startSimulatedFleet({ clusters: ['east', 'west'] });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  vi.stubEnv('FLOTILLA_KUBECONFIG', kubeconfig);
  vi.stubEnv('FLOTILLA_CONTENT_DIR', join(folder, 'content'));
  const clients = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'test' });
  await Promise.all(clients.map((client) => serveKnownCrds(client, fleet.cluster(client.cluster))));
  await Promise.all(clients.map((client) => client.close()));
  for (const name of ['east', 'west']) {
    const cluster = fleet.cluster(name);
    for (const namespace of ['olm', 'team']) {
      cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    }
    const status = { installedCSV: 'mill.v1.0.0', currentCSV: 'mill.v1.0.0', state: 'AtLatestKnown' };
    const objects = [...configMapCatalog(), operatorGroup(), csv('mill.v1.0.0', 'Succeeded'), subscription({ status })];
    for (const object of objects) put(cluster, object);
  }
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

type Entry = Readonly<{
  name: string;
  replaces?: string;
  objects?: readonly object[];
  properties?: readonly object[];
}>;

/** A catalog with one package, whose channel has these entries. */
async function catalog(name: string, wanted: string, entries: readonly Entry[], channel = 'stable'): Promise<string> {
  const path = join(folder, name);
  const bundles = entries.map((entry) => ({
    schema: 'olm.bundle',
    name: entry.name,
    package: wanted,
    image: `registry.example/${entry.name}`,
    properties: [
      { type: 'olm.package', value: { packageName: wanted, version: entry.name.replace(/^\w+\.v/, '') } },
      ...(entry.properties ?? []),
      ...(entry.objects ?? []).map((object) => ({
        type: 'olm.bundle.object',
        value: { data: Buffer.from(JSON.stringify(object)).toString('base64') },
      })),
    ],
  }));
  const blobs = [
    { schema: 'olm.package', name: wanted, defaultChannel: channel },
    {
      ...{ schema: 'olm.channel', package: wanted, name: channel },
      entries: entries.map(({ name: one, replaces }) => ({ name: one, replaces })),
    },
    ...bundles,
  ];
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'catalog.json'), blobs.map((blob) => JSON.stringify(blob)).join('\n'));
  return path;
}
const MILLS = {
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: 'mills.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced' },
    names: { plural: 'mills', singular: 'mill', kind: 'Mill', listKind: 'MillList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

/** A catalog in the cluster: a package with one version, and the CRDs that it owns or requires. */
function configMapOf(name: string, wanted: string, definitions: Readonly<Record<string, readonly object[]>>) {
  const { status: _none, metadata, spec, ...rest } = csv(`${wanted}.v1.0.0`, '');
  const operator = {
    ...rest,
    metadata: { name: metadata.name },
    spec: { ...spec, customresourcedefinitions: definitions },
  };
  const channels = [{ name: 'stable', currentCSV: metadata.name }];
  const data = {
    customResourceDefinitions: JSON.stringify(definitions['owned'] === undefined ? [] : [MILLS]),
    clusterServiceVersions: JSON.stringify([operator]),
    packages: JSON.stringify([{ packageName: wanted, defaultChannel: 'stable', channels }]),
  };
  const where = { name, namespace: 'olm' };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: where, data },
    { ...CATALOG_SOURCE_API, metadata: where, spec: { sourceType: 'configmap', configMap: name } },
  ];
}

const impact = (path: string, ...args: readonly string[]) =>
  runFlotilla(['catalog', 'impact', path, '--replaces', 'olm/samples', ...args]);
const outline = (path: string, ...args: readonly string[]) => impact(path, '--no-bundles', ...args);

describe('flotilla catalog impact', () => {
  it('shows what upgrades, to what, and in how many hops, equal impacts together', async () => {
    const path = await catalog('new', 'mill', [
      { name: 'mill.v1.0.0' },
      { name: 'mill.v1.1.0', replaces: 'mill.v1.0.0' },
      { name: 'mill.v1.2.0', replaces: 'mill.v1.1.0' },
    ]);
    const { out, exit } = await outline(path);
    expect(out).toMatch(/^upgrades +mill +stable +mill\.v1\.0\.0 +mill\.v1\.2\.0 +2 +- +2 +2$/m);
    expect(exit).toBe(0);
    const data = await outline(path, '-C', 'east', '-o', 'json');
    expect(JSON.parse(data.out)).toMatchObject({
      verdict: 'yes',
      replaced: ['east/olm/samples'],
      items: [{ cluster: 'east', namespace: 'team', effect: 'upgrades', hops: ['mill.v1.1.0', 'mill.v1.2.0'] }],
    });
  });

  it('says how far an operator comes where a later version needs what no catalog offers', async () => {
    const needs = { type: 'olm.gvk.required', value: { group: 'wind.example.com', version: 'v1', kind: 'Wind' } };
    const path = await catalog('windless', 'mill', [
      { name: 'mill.v1.0.0' },
      { name: 'mill.v1.1.0', replaces: 'mill.v1.0.0' },
      { name: 'mill.v1.2.0', replaces: 'mill.v1.1.0', properties: [needs] },
    ]);
    const { out, exit } = await outline(path);
    expect(out).toMatch(/^upgrades +mill +stable +mill\.v1\.0\.0 +mill\.v1\.1\.0 +1 /m);
    expect(out).toContain('mill upgrades in team of east and 1 more:\n  mill.v1.2.0 cannot be installed');
    expect(exit).toBe(0);
    const at = await catalog('still', 'mill', [
      { name: 'mill.v1.0.0' },
      { name: 'mill.v1.1.0', replaces: 'mill.v1.0.0', properties: [needs] },
    ]);
    expect((await outline(at)).out).toMatch(/^held +mill +stable +mill\.v1\.0\.0 +- +0 /m);
  });

  it('says no where an installed operator has no way on', async () => {
    const path = await catalog('gap', 'mill', [{ name: 'mill.v1.1.0' }]);
    const { out, exit } = await outline(path);
    expect(out).toMatch(/^breaks +mill/m);
    expect(out).toMatch(/mill breaks in team of east and 1 more:\n {2}\S/);
    expect(exit).toBe(1);
  });

  it('says no where the CatalogSource that is named is nowhere', async () => {
    const path = await catalog('slip', 'mill', [{ name: 'mill.v1.0.0' }]);
    const { err, exit } = await runFlotilla(['catalog', 'impact', path, '--replaces', 'olm/sampels']);
    expect(err).toContain('error: none of the clusters that answered has CatalogSource olm/sampels');
    expect(exit).toBe(1);
  });

  it('says which channels there are where the one of a Subscription is gone', async () => {
    const path = await catalog('fast', 'mill', [{ name: 'mill.v1.0.0' }], 'fast');
    const { out, exit } = await outline(path, '-C', 'east');
    expect(out).toContain('channel stable is not in the new catalog; package mill has fast there');
    expect(exit).toBe(1);
  });

  it('says no where an operator of another catalog needs what this one had', async () => {
    const api = { name: 'mills.example.com', version: 'v1', kind: 'Mill' };
    const west = fleet.cluster('west');
    west.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apart' } });
    const group = { ...operatorGroup('apart'), metadata: { name: 'group', namespace: 'apart' } };
    const wanted = subscription({ namespace: 'apart', package: 'loom' });
    const sourced = { ...wanted, spec: { ...wanted.spec, source: 'looms' } };
    const objects = [
      ...configMapOf('grain', 'mill', { owned: [api] }),
      ...configMapOf('looms', 'loom', { required: [api] }),
      ...[group, sourced],
    ];
    for (const object of objects) put(west, object);
    const path = await catalog('none', 'mill', [{ name: 'mill.v1.0.0' }]);
    const found = await runFlotilla([
      'catalog',
      'impact',
      path,
      '--replaces',
      'olm/grain',
      '--no-bundles',
      '-C',
      'west',
    ]);
    expect(found.out).toMatch(/^breaks +loom +stable/m);
    expect(found.out).toMatch(/loom breaks in apart of west:\n {2}\S/);
    expect(found.exit).toBe(1);
    for (const object of objects) west.delete(refOf(object));
  });

  it('says no where the package is gone', async () => {
    const { out, exit } = await outline(await catalog('other', 'loom', [{ name: 'loom.v1.0.0' }]), '-C', 'east');
    expect(out).toContain('package mill is not in the new catalog');
    expect(exit).toBe(1);
  });

  it('shows the kinds of change, rights and CRDs of an upgrade, compared with what is installed', async () => {
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }];
    const install = { strategy: 'deployment', spec: { clusterPermissions: [{ serviceAccountName: 'mill', rules }] } };
    const operator = csv('mill.v1.1.0', '');
    const bundle = [{ ...operator, spec: { ...(operator['spec'] as object), install } }, MILLS];
    const path = await catalog('rights', 'mill', [
      { name: 'mill.v1.0.0' },
      { name: 'mill.v1.1.0', replaces: 'mill.v1.0.0', objects: bundle },
    ]);
    const { out, exit } = await impact(path);
    expect(out).toMatch(/^upgrades +mill +stable +mill\.v1\.0\.0 +mill\.v1\.1\.0 +1 +Minor, RBACGrowth +2 +2$/m);
    expect(out).toContain('mill mill.v1.0.0 → mill.v1.1.0 in team of east and 1 more:\n');
    expect(out).toContain('  crd      mills.example.com: adds v1; nothing removed; stores v1\n');
    expect(out).toMatch(/^ {2}rights {3}\+ .*secrets/m);
    expect(exit).toBe(0);
  });

  it('says where a bundle cannot be read, and shows the rest', async () => {
    const entries = [
      { name: 'mill.v1.0.0' },
      { name: 'mill.v1.1.0', replaces: 'mill.v1.0.0', objects: [{ kind: 'X' }] },
    ];
    const { out, exit } = await impact(await catalog('broken', 'mill', entries));
    expect(out).toMatch(/^upgrades .* Minor /m);
    expect(out).toContain(
      '  unread   its rights, CRDs and webhooks are not compared: bundle has no ClusterServiceVersion',
    );
    expect(exit).toBe(0);
  });

  it('changes nothing with the same content, and asks for the catalog that is replaced', async () => {
    const path = await catalog('same', 'mill', [{ name: 'mill.v1.0.0' }]);
    expect((await outline(path)).out).toMatch(/^stays +mill +stable +mill\.v1\.0\.0 +- +0 +- +2 +2$/m);
    const none = await runFlotilla(['catalog', 'impact', path]);
    expect(none).toMatchObject({ exit: 2, err: expect.stringContaining('with --replaces') });
  });
});

it.each([
  ['registry.example/a/b:v1', 'registry.example/a/b'],
  ['localhost:5000/a@sha256:00', 'localhost:5000/a'],
  ['./catalog', undefined],
  ['examples/catalogs/v1', undefined],
  ['oci:layout:v1', undefined],
])('the repository of %s is %s', (reference, repository) => {
  expect(repositoryOf(reference)).toBe(repository);
});
