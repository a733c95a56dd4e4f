import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { runFlotilla } from '../run-flotilla.fixture.js';
import { configMapCatalog, csv, operatorGroup, put, subscription } from './live-objects.fixture.js';
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
  await Promise.all(clients.map((client) => serveCrds(client)));
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
  await rm(folder, { recursive: true, force: true });
});

type Entry = Readonly<{ name: string; replaces?: string }>;

/** A catalog with one package, whose channel `stable` has these entries. */
async function catalog(name: string, wanted: string, entries: readonly Entry[]): Promise<string> {
  const path = join(folder, name);
  const bundles = entries.map((entry) => ({
    schema: 'olm.bundle',
    name: entry.name,
    package: wanted,
    image: `registry.example/${entry.name}`,
    properties: [{ type: 'olm.package', value: { packageName: wanted, version: entry.name.replace(/^\w+\.v/, '') } }],
  }));
  const blobs = [
    { schema: 'olm.package', name: wanted, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: wanted, name: 'stable', entries },
    ...bundles,
  ];
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'catalog.json'), blobs.map((blob) => JSON.stringify(blob)).join('\n'));
  return path;
}
const impact = (path: string, ...args: readonly string[]) =>
  runFlotilla(['catalog', 'impact', path, '--replaces', 'olm/samples', ...args]);

describe('flotilla catalog impact', () => {
  it('shows what upgrades, to what, and in how many hops, equal impacts together', async () => {
    const path = await catalog('new', 'mill', [
      { name: 'mill.v1.0.0' },
      { name: 'mill.v1.1.0', replaces: 'mill.v1.0.0' },
      { name: 'mill.v1.2.0', replaces: 'mill.v1.1.0' },
    ]);
    const { out, exit } = await impact(path);
    expect(out).toMatch(/^upgrades +mill +stable +mill\.v1\.0\.0 +mill\.v1\.2\.0 +2 +2 +2$/m);
    expect(exit).toBe(0);
    const data = await impact(path, '-C', 'east', '-o', 'json');
    expect(JSON.parse(data.out)).toMatchObject({
      verdict: 'yes',
      replaced: ['east/olm/samples'],
      items: [{ cluster: 'east', namespace: 'team', effect: 'upgrades', hops: ['mill.v1.1.0', 'mill.v1.2.0'] }],
    });
  });

  it('says no where an installed operator has no way on', async () => {
    const path = await catalog('gap', 'mill', [{ name: 'mill.v1.1.0' }]);
    const { out, exit } = await impact(path);
    expect(out).toMatch(/^breaks +mill/m);
    expect(out).toMatch(/mill breaks in team of east and 1 more:\n {2}\S/);
    expect(exit).toBe(1);
  });

  it('says no where the package is gone', async () => {
    const { out, exit } = await impact(await catalog('other', 'loom', [{ name: 'loom.v1.0.0' }]), '-C', 'east');
    expect(out).toContain('package mill is not in the new catalog');
    expect(exit).toBe(1);
  });

  it('changes nothing with the same content, and asks for the catalog that is replaced', async () => {
    const path = await catalog('same', 'mill', [{ name: 'mill.v1.0.0' }]);
    expect((await impact(path)).out).toMatch(/^stays +mill +stable +mill\.v1\.0\.0 +- +0 +2 +2$/m);
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
