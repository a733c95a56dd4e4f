import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { type ImageRegistry, startImageRegistry } from '#testing/registry/image-registry';
import { put } from '../../clusters/live-objects.fixture.js';
import { runFlotilla } from '../../run-flotilla.fixture.js';

let folder = '';
let fleet: SimulatedFleet;
let registry: ImageRegistry;
const examples = join(PROJECT_ROOT, 'examples');

/** The first sample catalog and the bundle of lighthouse-operator 1.0.0, in a registry. */
async function pushSamples(): Promise<void> {
  const samples = `${registry.host}/flotilla-samples`;
  const bundle = join(examples, 'bundles/lighthouse-operator/v1.0.0');
  await cp(join(examples, 'catalogs/v1'), join(folder, 'catalog'), { recursive: true });
  for (const name of await readdir(join(folder, 'catalog'))) {
    const file = join(folder, 'catalog', name, 'catalog.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('registry.example/', `${registry.host}/`));
  }
  await runFlotilla(['bundle', 'push', bundle, `${samples}/lighthouse-operator-bundle:v1.0.0`]);
  await runFlotilla(['catalog', 'push', join(folder, 'catalog'), `${samples}/catalog:latest`]);
}

const extension = (name: string, packageName: string, namespace: string, more: object = {}): KubernetesObject => ({
  ...CLUSTER_EXTENSION_API,
  metadata: { name },
  spec: { namespace, source: { sourceType: 'Catalog', catalog: { packageName } }, ...more },
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-plan-live-extensions-'));
  [fleet, registry] = await Promise.all([startSimulatedFleet({ clusters: ['east'] }), startImageRegistry()]);
  await pushSamples();
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  const clients = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
  await Promise.all(clients.map((client) => serveKnownCrds(client, fleet.cluster(client.cluster))));
  await Promise.all(clients.map((client) => client.close()));
  const image = { ref: `${registry.host}/flotilla-samples/catalog:latest` };
  const name = 'lighthouse-operator';
  const objects: KubernetesObject[] = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'lights' } },
    { ...CLUSTER_CATALOG_API, metadata: { name: 'samples' }, spec: { source: { type: 'Image', image } } },
    extension('light', name, 'lights'),
    extension('dark', name, 'nowhere'),
    extension('harbor', 'harbor-operator', 'lights'),
    extension('poor', name, 'lights', { serviceAccount: { name: 'installer' } }),
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'installer', namespace: 'lights' } },
  ];
  for (const object of objects) put(fleet.cluster('east'), object);
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

const plan = (...options: string[]) => runFlotilla(['plan', '--live', ...options]);

describe('flotilla plan --live of a ClusterExtension', () => {
  it('shows the bundle and each object that would be made, and makes none', async () => {
    const { requests } = fleet.cluster('east');
    requests.clear();
    const { out, exit } = await plan('--extension', 'light');
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.writes()).toEqual([]);
    expect(out.replaceAll(/-operato-\w+/g, '-operato-HASH').replaceAll(registry.host, 'registry.example')).toBe(
      [
        'ClusterExtension light of east: lighthouse-operator.v1.0.0 1.0.0 will be installed as revision light-1',
        '  image registry.example/flotilla-samples/lighthouse-operator-bundle:v1.0.0',
        '  It is the highest version.',
        '    create  ServiceAccount lights/lighthouse-operator',
        '    create  CustomResourceDefinition lighthouses.lighthouse.example.com',
        '    create  ClusterRole lighthouse-operato-HASH',
        '    create  ClusterRole lighthouse-operato-HASH',
        '    create  ClusterRoleBinding lighthouse-operato-HASH',
        '    create  ClusterRoleBinding lighthouse-operato-HASH',
        '    create  Service lights/lighthouse-operator-metrics',
        '    create  Deployment lights/lighthouse-operator',
        '',
      ].join('\n'),
    );
    expect(exit).toBe(0);
    const { out: sets } = await runFlotilla(['get', 'extensions', 'light', '-o', 'json']);
    expect(JSON.parse(sets)).not.toMatchObject({ items: [{ status: expect.anything() }] });
    expect(await plan('--extension', 'light'), 'the next look sees the same').toMatchObject({ out });
  });

  it.each([
    { name: 'dark', says: /namespace nowhere does not exist: create it first\n/ },
    { name: 'harbor', says: /^ClusterExtension harbor of east: nothing comes\n.*olm\.gvk\.required/ },
    {
      name: 'poor',
      says: /^ClusterExtension poor of east: lighthouse-operator\.v1\.0\.0 1\.0\.0 cannot come\n[\s\S]*pre-authorization failed/,
    },
  ])('says what keeps $name from it', async ({ name, says }) => {
    const { out, exit } = await plan('--extension', name);
    expect(out).toMatch(says);
    expect(exit).toBe(1);
  });

  it('shows all of a cluster as data', async () => {
    const { out, exit } = await plan('-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      verdict: 'no',
      away: [],
      items: [
        { extension: 'dark', next: 'make' },
        { extension: 'harbor', next: 'nothing' },
        { extension: 'light', next: 'make', bundle: 'lighthouse-operator.v1.0.0' },
        { extension: 'poor', next: 'nothing' },
      ],
    });
    expect(exit).toBe(1);
  });

  it.each([
    { options: ['--extension', 'none'], exit: 1, says: 'error: no ClusterExtension "none" in any cluster' },
    { options: ['--extension', 'light', '-n', 'lights'], exit: 2, says: 'a ClusterExtension is in no namespace' },
  ])('$says', async ({ options, exit, says }) => {
    const answer = await plan(...options);
    expect(answer.err).toContain(says);
    expect(answer.exit).toBe(exit);
  });
});
