import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/kernel/api/cluster-service-version';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { needing, programs } from '#testing/report/needs';
import { put } from '../../apps/cli/src/clusters/live-objects.fixture.js';
import { hubKeyFile, LOOPBACK_ALLOWED } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { PLAYED } from '../guide/commands-elsewhere.js';
import { GuideNames } from '../guide/guide-names.js';
import { pageCommands } from '../guide/page-commands.js';
import { follow } from '../guide/page-shell.js';
import { catalogImage } from '../story/bad-input-fixture.js';
import { type RunningUp, runUp } from './up-support/run-up.js';

const kubectl = await programs({ program: 'kubectl' }, { program: 'curl' });
/** Placeholders of these pages, and their values here. */
const HERE: readonly (readonly [RegExp, string])[] = [
  [/NAMESPACE/g, 'lights'],
  [/NAME/g, 'lamp.v1'],
  [/packagemanifests\/lamp$/g, 'packagemanifests/lighthouse-operator'],
  [/poller\.kubeconfig/g, 'kubeconfig'],
  [/slack-url/g, 'kubeconfig'],
];

let folder = '';
let fleet: SimulatedFleet;
let registry: InMemoryRegistry;
let up: RunningUp;
let hub = '';

async function commandsOf(page: string, begin: string): Promise<string[]> {
  const commands = pageCommands(page, await readFile(join(PROJECT_ROOT, page), 'utf8'));
  const found = commands.filter(({ command, isFollowed }) => !isFollowed && command.startsWith(begin));
  expect(found.length, `${page}: ${begin}`).toBeGreaterThan(0);
  return found.map(({ command }) => HERE.reduce((text, [from, to]) => text.replaceAll(from, to), command));
}

/** Runs the command of the page. Expects exit code 0, and an HTTP answer without an error. */
async function play(page: string, begin: string): Promise<void> {
  const environment = {
    ...LOOPBACK_ALLOWED,
    KUBECONFIG: join(folder, 'kubeconfig'),
    FLOTILLA_KUBECONFIG: join(folder, 'kubeconfig'),
    FLOTILLA_CONTENT_DIR: join(folder, 'content'),
    FLOTILLA_CATALOG_POLLER_PORT: new URL(hub).port,
    BASE: `${hub}/clusters/east/catalogs/samples`,
  };
  // The cluster that has lost its hub: east has one.
  const where = page === 'docs/recovery.md' ? 'kubectl --context west ' : 'kubectl ';
  // A page may say a command in two places.
  for (const command of new Set(await commandsOf(page, begin))) {
    const here = command
      .replace(/^kubectl /, where)
      .replaceAll(/http:\/\/(?:HUB|127\.0\.0\.1):8080/g, hub)
      .replace(/^curl /, 'curl --fail ');
    await follow({ folder, environment }, new GuideNames(), { command: here, expected: [] });
  }
}

const namespace = (name: string): KubernetesObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** Namespaces, accounts and operators that the pages speak of, and a catalog named `curated`. */
function fill(cluster: 'east' | 'west', catalog: string): void {
  const east = fleet.cluster(cluster);
  for (const name of ['olm', 'team', 'lights', 'flotilla']) east.create(namespace(name));
  const secret = { name: 'redis-passwords', namespace: 'flotilla' };
  east.create({ apiVersion: 'v1', kind: 'Secret', metadata: secret } as KubernetesObject);
  put(east, {
    ...CATALOG_SOURCE_API,
    metadata: { name: 'curated', namespace: 'olm' },
    spec: { sourceType: 'grpc', image: catalog },
  });
  put(east, { ...OPERATOR_GROUP_API, metadata: { name: 'team-group', namespace: 'team' }, spec: {} });
  const metadata = { name: 'lamp.v1', namespace: 'lights', finalizers: [CSV_CLEANUP_FINALIZER] };
  put(east, { ...CSV_API, metadata, spec: { displayName: 'lamp', install: { strategy: 'deployment' } } });
  put(east, {
    ...CLUSTER_CATALOG_API,
    metadata: { name: 'samples' },
    spec: { source: { type: 'Image', image: { ref: catalog } } },
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-played-'));
  registry = await startRegistry();
  fleet = await startSimulatedFleet({ clusters: ['east', 'west', 'hub'] });
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  const clients = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
  await Promise.all(clients.filter(({ cluster }) => cluster !== 'hub').map((client) => serveCrds(client)));
  await Promise.all(clients.map((client) => client.close()));
  const files: Record<string, string> = {};
  for (const name of await readdir(join(PROJECT_ROOT, 'examples/catalogs/v1')))
    files[`${name}/catalog.yaml`] = await readFile(
      join(PROJECT_ROOT, 'examples/catalogs/v1', name, 'catalog.yaml'),
      'utf8',
    );
  registry.put('shelf/samples:latest', await catalogImage(files));
  for (const cluster of ['east', 'west'] as const) fill(cluster, `${registry.host}/shelf/samples:latest`);
  // In a cluster without an active hub, so that nothing of it is installed.
  put(fleet.cluster('west'), {
    ...SUBSCRIPTION_API,
    metadata: { name: 'lighthouse', namespace: 'team' },
    spec: { name: 'lighthouse-operator', channel: 'stable', source: 'curated', sourceNamespace: 'olm' },
  });
  await symlink(join(PROJECT_ROOT, 'examples/catalogs/v2'), join(folder, 'catalog'));
  await mkdir(join(folder, '.flotilla/kubeconfig'), { recursive: true });
  // A pod of the hub prints them, and no pod runs here.
  const printing = { folder, environment: { FLOTILLA_HUB_KEY_FILE: hubKeyFile() } };
  await follow(printing, new GuideNames(), { command: 'flotilla console proof-keys > proof-keys', expected: [] });
  const environment = {
    FLOTILLA_KUBECONFIG: join(folder, 'kubeconfig'),
    FLOTILLA_CONTENT_DIR: join(folder, 'content'),
  };
  up = runUp(['--no-console', '--context', 'east'], environment);
  await up.running();
  [, hub = ''] = /Health (http:\/\/[^/]+)\//.exec(up.said.out) ?? [];
  const served = () => fetch(`${hub}/clusters/east/catalogs/samples/api/v1/all`).then(({ status }) => status, String);
  await vi.waitFor(async () => expect(await served()).toBe(200), LONG_PATIENCE);
});
afterAll(async () => {
  await up?.kill();
  await Promise.all([fleet?.stop(), registry?.stop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('commands of pages on a simulated hub', needing(kubectl), () => {
  it.each(PLAYED)('%s: %s', play);

  it('have left what their pages say', async () => {
    const east = fleet.cluster('east');
    const annotations = (kind: Readonly<{ apiVersion: string; kind: string }>, name: string, at?: string) =>
      east.get({ ...kind, name, ...(at === undefined ? {} : { namespace: at }) })?.metadata.annotations;
    expect(annotations({ apiVersion: 'v1', kind: 'Namespace' }, 'team')).toMatchObject({
      'flotilla.dev/refuse-foreign-installplans': 'true',
    });
    expect(annotations(OPERATOR_GROUP_API, 'team-group', 'team')).toMatchObject({
      'flotilla.dev/replace-copied-csvs': 'true',
      'flotilla.dev/migrate-stored-versions': 'true',
    });
    const csv = fleet.cluster('west').get({ ...CSV_API, name: 'lamp.v1', namespace: 'lights' });
    expect(csv?.metadata.finalizers ?? []).toEqual([]);
    expect((await readdir(join(folder, 'fleet'))).length).toBeGreaterThan(0);
    expect(await readFile(join(folder, '.flotilla/kubeconfig/config'), 'utf8')).toContain('current-context: east');
  });
});
