import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { catalogSource, installPlan, put, subscription } from '../clusters/live-objects.fixture.js';
import { type FakeHub, startFakeHub } from '../hub/fake-hub.fixture.js';
import { runFlotilla } from '../run-flotilla.fixture.js';
import { JSON_SHAPES, type ShapedVerb, shapeTable } from './json-shapes.fixture.js';

const EXAMPLES = join(PROJECT_ROOT, 'examples');
const CATALOG = join(EXAMPLES, 'catalogs/v2');
const GIVEN = ['--catalog', `olm/flotilla-samples=${CATALOG}`, '-f', join(EXAMPLES, 'manifests'), '-n', 'harbors'];
const HARBOR = [CATALOG, '-p', 'harbor-operator'];

let folder = '';
let fleet: SimulatedFleet;
let hub: FakeHub;
/** It has no image: one that did not answer at all would be asked again and again. */
let registry: InMemoryRegistry;

beforeAll(async () => {
  hub = await startFakeHub();
  registry = await startRegistry();
  folder = await mkdtemp(join(tmpdir(), 'flotilla-shapes-'));
  fleet = await startSimulatedFleet({ clusters: ['east'] });
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  await writeFile(join(folder, 'empty.yaml'), '');
  await writeFile(join(folder, 'extension.yaml'), extension('lighthouse-operator'));
  await writeFile(join(folder, 'other.yaml'), extension('ghost'));
  const ghost = subscription({ namespace: 'harbors', package: 'ghost' });
  await writeFile(join(folder, 'ghost.json'), JSON.stringify(ghost));
  const [client] = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
  if (client === undefined) throw new Error('the fleet has no cluster');
  await serveKnownCrds(client, fleet.cluster(client.cluster));
  await client.close();
  const east = fleet.cluster('east');
  for (const name of ['olm', 'team']) east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const catalog = catalogSource(`${registry.host}/samples:v1`);
  for (const object of [catalog, subscription(), installPlan('install-1', false, 'RequiresApproval')]) {
    put(east, object);
  }
});
afterAll(async () => {
  await hub.stop();
  await registry.stop();
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_CONTENT_DIR', join(folder, 'content'));
  return () => vi.unstubAllEnvs();
});

const extension = (packageName: string) =>
  JSON.stringify({
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterExtension',
    metadata: { name: 'harbor' },
    spec: { namespace: 'harbors', source: { sourceType: 'Catalog', catalog: { packageName } } },
  });
const offline = (file: string) => ['--catalog', `flotilla-samples=${CATALOG}`, '-f', join(folder, file)];

const cases: readonly (readonly [verb: ShapedVerb, verdict: string, args: () => readonly string[]])[] = [
  ['get', 'yes', () => ['get', 'sub']],
  ['get', 'no', () => ['get', 'sub', 'ghost']],
  ['status', 'yes', () => ['status']],
  ['assess', 'yes', () => ['assess']],
  ['doctor', 'yes', () => ['doctor']],
  ['clusters list', 'yes', () => ['clusters', 'list']],
  ['clusters check', 'yes', () => ['clusters', 'check']],
  ['approve', 'yes', () => ['approve', 'ip', 'install-1', '-n', 'team', '--dry-run']],
  ['approve', 'no', () => ['approve', 'ip', 'ghost', '-n', 'team']],
  ['plan --live', 'yes', () => ['plan', '--live', '-n', 'team']],
  ['plan', 'yes', () => ['plan', ...GIVEN]],
  ['plan', 'no', () => ['plan', ...offline('ghost.json')]],
  ['plan, of ClusterExtensions', 'yes', () => ['plan', ...offline('extension.yaml')]],
  ['plan, of ClusterExtensions', 'no', () => ['plan', ...offline('other.yaml')]],
  ['explain', 'no', () => ['explain', 'sub', 'mill', '-n', 'team']],
  ['explain', 'yes', () => ['explain', 'catalogsource', 'samples', '-n', 'olm']],
  ['explain --catalog', 'yes', () => ['explain', 'sub', 'harbor-operator', ...GIVEN]],
  ['explain --catalog', 'no', () => ['explain', 'sub', 'mill', ...offline('ghost.json')]],
  ['explain --catalog', 'yes', () => ['explain', 'extension', 'harbor', ...offline('extension.yaml')]],
  ['path', 'yes', () => ['path', ...HARBOR, '--from', '1.0.0']],
  ['path', 'no', () => ['path', ...HARBOR, '--from', '1.2.0', '--to', '1.0.0']],
  ['catalog diff', 'yes', () => ['catalog', 'diff', join(EXAMPLES, 'catalogs/v1'), CATALOG]],
  ['catalog validate', 'yes', () => ['catalog', 'validate', CATALOG]],
  ['catalog validate', 'yes', () => ['catalog', 'validate', CATALOG, '--strict']],
  ['bundle validate', 'yes', () => ['bundle', 'validate', join(EXAMPLES, 'bundles/harbor-operator/v1.0.0')]],
  ['bundle validate', 'no', () => ['bundle', 'validate', CATALOG]],
  ['crd check', 'yes', () => ['crd', 'check', '/dev/null', CRD_FILE()]],
  ['health', 'yes', () => ['health', '--hub', hub.url]],
  ['version', 'yes', () => ['version', '--client']],
  ['version', 'yes', () => ['version', '--hub', hub.url]],
];
const CRD_FILE = () => join(folder, 'crd.yaml');

describe('an answer as data has the keys of the schema, and the verdict that goes with the exit code', () => {
  beforeAll(async () => {
    const name = 'lamps.shop.example';
    const names = { kind: 'Lamp', listKind: 'LampList', plural: 'lamps', singular: 'lamp' };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const spec = { group: 'shop.example', names, scope: 'Namespaced', versions };
    const kind = 'CustomResourceDefinition';
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind, metadata: { name }, spec };
    await writeFile(CRD_FILE(), JSON.stringify(crd));
  });

  it.each(cases)('%s: %s', async (verb, verdict, args) => {
    const { out, exit } = await runFlotilla([...args(), '-o', 'json']);
    const answer = JSON.parse(out) as unknown;
    expect(JSON_SHAPES[verb].safeParse(answer).error?.issues ?? []).toEqual([]);
    expect({ answer, exit }).toMatchObject({ answer: { verdict }, exit: verdict === 'yes' ? 0 : 1 });
    const yaml = await runFlotilla([...args(), '-o', 'yaml']);
    expect(Object.keys(parse(yaml.out) as object).sort()).toEqual(Object.keys(answer as object).sort());
  });
});

it('every verb with a schema is run', () => {
  expect(new Set(cases.map(([verb]) => verb))).toEqual(new Set(Object.keys(JSON_SHAPES)));
});

it('docs/command-json.md has the table of these keys', async () => {
  expect(await readFile(join(PROJECT_ROOT, 'docs', 'command-json.md'), 'utf8')).toContain(shapeTable());
});
