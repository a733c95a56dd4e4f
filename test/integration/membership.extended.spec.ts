import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { freePorts } from '#testing/control-plane/free-ports';
import { LONG_PATIENCE, PATIENCE, promised } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { putSampleBundles, putSampleCatalog } from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const OLM = 'operators.coreos.com';
const CSV = { apiVersion: `${OLM}/v1alpha1`, kind: 'ClusterServiceVersion' };
const GROUP = { apiVersion: `${OLM}/v1`, kind: 'OperatorGroup' };
const RECONCILED = { lastUpdated: expect.any(String) };
const SOURCES = `catalogsources.${OLM}`;
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

type Kubeconfig = {
  clusters: { name: string; cluster: { server: string } }[];
  users: { name: string; user: { token: string } }[];
  contexts: { name: string; context: { cluster: string; user: string; extensions?: unknown } }[];
};

describe('a hub whose kubeconfig changes while it runs', () => {
  let folder: string;
  let kubeconfig: string;
  let fleet: SimulatedFleet;
  let environment: ServicesEnvironment;
  let applier: string;
  let poller: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-membership-'));
    kubeconfig = join(folder, 'kubeconfig');
    fleet = await startSimulatedFleet({ clusters: ['east', 'west', 'north'], deploymentReadyAfterMs: 100 });
    await written((all) => only(all, 'east'));
    const [applierPort, pollerPort] = await freePorts(2);
    [applier, poller] = [`http://127.0.0.1:${applierPort}`, `http://127.0.0.1:${pollerPort}`];
    environment = await startQuickEnvironment({
      kubeconfigs: [kubeconfig],
      settings: { FLOTILLA_APPLIER_PORT: String(applierPort), FLOTILLA_CATALOG_POLLER_PORT: String(pollerPort) },
    });
    await putSampleBundles('examples', environment.registry.put);
    await putSampleCatalog('examples', 'v1', environment.registry);
    for (const url of [applier, poller]) {
      await vi.waitFor(async () => expect(await clustersOf(url)).toEqual(['east']), LONG_PATIENCE);
    }
  });
  afterAll(async () => {
    await environment?.stop();
    await fleet?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Tokens that have replaced the first ones. */
  const tokens = new Map<string, string>();
  /** Replaces the file at once, as `kubectl config` and Kubernetes do. */
  async function written(change: (all: Kubeconfig) => Kubeconfig): Promise<void> {
    const all = load(fleet.kubeconfig()) as Kubeconfig;
    for (const { name, user } of all.users) user.token = tokens.get(name) ?? user.token;
    await writeFile(`${kubeconfig}.next`, stringify(change(all)), { mode: 0o600 });
    await rename(`${kubeconfig}.next`, kubeconfig);
  }
  const only = (all: Kubeconfig, ...names: string[]): Kubeconfig => ({
    ...all,
    contexts: all.contexts.filter(({ name }) => names.includes(name)),
  });

  type Detail = Readonly<{ status: string; detail: string; clusters?: readonly string[] }>;
  async function health(url: string): Promise<Readonly<Record<string, Detail>>> {
    const answer = await fetch(`${url}/healthz`).catch(() => undefined);
    const { details = {} } = ((await answer?.json()) ?? {}) as { details?: Record<string, Detail> };
    return details;
  }
  const membership = async (url = applier) => (await health(url))['membership']?.detail ?? '';
  const clustersOf = async (url: string) => {
    const details = Object.values(await health(url));
    return [...new Set(details.flatMap(({ clusters = [] }) => clusters))].sort();
  };
  const seriesOf = async (url: string, cluster: string) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return text.split('\n').filter((line) => line.includes(`cluster="${cluster}"`));
  };
  const isRegistered = (name: string) => fleet.cluster(name).get({ ...CRD, name: SOURCES }) !== undefined;
  const csvsOf = (name: string) =>
    fleet
      .cluster(name)
      .list({ ...CSV, namespace: 'harbors' })
      .map(({ metadata, status }) => `${metadata.name} ${(status as { phase?: string })?.phase}`);

  function makeGroup(name: string, namespace: string): void {
    const cluster = fleet.cluster(name);
    cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    cluster.create({ ...GROUP, metadata: { name: 'group', namespace }, spec: {} });
  }
  const groupIn = (name: string, namespace: string) =>
    fleet.cluster(name).get({ ...GROUP, name: 'group', namespace })?.['status'];

  async function subscribeIn(name: string): Promise<void> {
    const cluster = fleet.cluster(name);
    const documents = ['1-namespace', '2-catalog-source', '3-subscription-automatic'].flatMap((file) => {
      const text = readFileSync(join('examples/manifests', `${file}.yaml`), 'utf8');
      return loadAll(text.replaceAll('registry.example/', `${environment.registry.host}/`));
    });
    // Definitions are served a moment after they were written.
    await vi.waitFor(() => {
      cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
      for (const document of documents) cluster.apply(KubernetesObject.parse(document));
    }, PATIENCE);
  }

  it('installs to a cluster that was added, within seconds', async () => {
    const before = performance.now();
    await written((all) => only(all, 'east', 'west'));
    await expect.poll(() => isRegistered('west'), { ...PATIENCE, interval: 20 }).toBe(true);
    const joinedMs = performance.now() - before;
    await subscribeIn('west');
    await expect.poll(() => csvsOf('west'), LONG_PATIENCE).toContain('harbor-operator.v1.0.0 Succeeded');
    for (const url of [applier, poller]) expect(await clustersOf(url)).toEqual(['east', 'west']);
    expect(await membership()).toBe('2 of 2 clusters take part');
    // Five seconds on a machine at rest, by the bench; here, that no resync is waited for.
    expect(joinedMs, 'milliseconds from the change of the file on').toBeLessThan(promised(30_000).timeout);
  });

  it('changes nothing because of half a file, and says so', async () => {
    const whole = await readFile(kubeconfig, 'utf8');
    await writeFile(kubeconfig, whole.slice(0, whole.indexOf('contexts:') - 40));
    await expect.poll(() => membership(), PATIENCE).toMatch(/is not a kubeconfig.*its clusters do not change/);
    expect(await clustersOf(poller)).toEqual(['east', 'west']);
    await writeFile(kubeconfig, whole);
    await expect.poll(() => membership(), PATIENCE).toBe('2 of 2 clusters take part');
  });

  it('takes up a new login, with every watch opened again', async () => {
    const east = fleet.cluster('east');
    const old = east.token;
    await expect.poll(() => east.openWatches(old), PATIENCE).toBeGreaterThan(0);
    const token = east.issueToken();
    tokens.set('east', token);
    const before = performance.now();
    await written((all) => only(all, 'east', 'west'));
    await expect.poll(() => east.openWatches(token), PATIENCE).toBeGreaterThan(0);
    await expect.poll(() => east.openWatches(old), PATIENCE).toBe(0);
    const closedMs = performance.now() - before;
    expect(closedMs, 'milliseconds until the last stream of the old login').toBeLessThan(promised(30_000).timeout);
    east.revokeToken(old);
    makeGroup('east', 'after-the-change');
    await expect.poll(() => groupIn('east', 'after-the-change'), PATIENCE).toMatchObject(RECONCILED);
    expect(await membership()).toBe('2 of 2 clusters take part');
  });

  it('observes a cluster that is paused, and writes nothing there until it is resumed', async () => {
    const paused = { extensions: [{ name: 'flotilla', extension: { paused: true } }] };
    await written((all) => ({
      ...all,
      contexts: only(all, 'east', 'west').contexts.map(({ name, context }) => ({
        name,
        context: { ...context, ...(name === 'east' ? paused : {}) },
      })),
    }));
    for (const url of [applier, poller]) await expect.poll(() => membership(url), PATIENCE).toMatch(/paused: east/);
    const east = fleet.cluster('east');
    east.requests.clear();
    for (const name of ['east', 'west']) makeGroup(name, 'during-the-pause');
    await expect.poll(() => groupIn('west', 'during-the-pause'), PATIENCE).toMatchObject(RECONCILED);
    expect(east.requests.writes()).toEqual([]);
    expect(groupIn('east', 'during-the-pause')).toBeUndefined();
    await written((all) => only(all, 'east', 'west'));
    await expect.poll(() => groupIn('east', 'during-the-pause'), PATIENCE).toMatchObject(RECONCILED);
  });

  it('refuses a context that leads to another cluster now, and one that leads to a cluster it manages', async () => {
    const north = (all: Kubeconfig) => all.clusters.find(({ name }) => name === 'north')?.cluster.server ?? '';
    const leadingNorth = (names: readonly string[]) => (all: Kubeconfig) => ({
      ...only(all, 'west'),
      clusters: all.clusters.map((one) =>
        one.name === 'west' ? { ...one, cluster: { ...one.cluster, server: north(all) } } : one,
      ),
      users: all.users.map((one) =>
        one.name === 'west' ? { ...one, user: { token: fleet.cluster('north').token } } : one,
      ),
      contexts: [
        ...only(all, 'west').contexts,
        ...names.map((name) => ({ name, context: { cluster: 'north', user: 'north' } })),
      ],
    });
    await written(leadingNorth(['first']));
    for (const url of [applier, poller]) await expect.poll(() => clustersOf(url), PATIENCE).toEqual(['first', 'west']);
    await written(leadingNorth(['first', 'second']));
    await expect
      .poll(() => membership(), PATIENCE)
      .toMatch(/context "west" .* now leads to another cluster: the UID of its namespace kube-system/);
    await expect
      .poll(() => membership(), PATIENCE)
      .toMatch(/context "second" .* leads to the same cluster as "first", which the hub manages/);
    for (const url of [applier, poller]) await expect.poll(() => clustersOf(url), PATIENCE).toEqual(['first', 'west']);
    expect(csvsOf('west'), 'the cluster that was west stays west').toContain('harbor-operator.v1.0.0 Succeeded');
  });

  it('leaves a cluster that was removed: no request, no metric, no entry of it', async () => {
    await expect.poll(() => seriesOf(poller, 'west'), PATIENCE).not.toEqual([]);
    await written((all) => only(all, 'north'));
    for (const url of [applier, poller]) {
      await expect.poll(() => clustersOf(url), PATIENCE).toEqual(['north']);
      await expect.poll(() => seriesOf(url, 'west'), PATIENCE).toEqual([]);
    }
    const west = fleet.cluster('west');
    await expect.poll(() => west.openWatches(), PATIENCE).toBe(0);
    west.requests.clear();
    west.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'afterwards' } });
    await expect.poll(() => isRegistered('north'), PATIENCE).toBe(true);
    expect(west.requests.map(({ path }) => path)).toEqual([]);
  });
});
