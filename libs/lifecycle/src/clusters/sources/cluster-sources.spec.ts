import { loadAll } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignCluster } from '#core/cluster/imports/foreign-cluster';
import { planImport } from '#core/cluster/imports/plan-import';
import { COMMAND } from '#core/kernel/actions/field-managers';
import type { FleetClusterSourceStatus } from '#core/kernel/api/fleet/fleet-cluster-source';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '#platform/clock/manual-clock';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { fleetDefinitions, serveKinds } from '#testing/cluster/fleet-definitions';
import { Refusal } from '#testing/cluster/objects/refusal';
import { PATIENCE } from '#testing/patience';
import { ClusterSources } from './cluster-sources.js';

const TOKEN = 'hush-argo-token';
const CLUSTERS = { apiVersion: FLEET_API, kind: 'FleetCluster' } as const;
const SOURCES = { apiVersion: FLEET_API, kind: 'FleetClusterSource' } as const;
const SECRETS = { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd' } as const;
const b64 = (text: string): string => Buffer.from(text).toString('base64');

type Condition = Readonly<{ type: string; status: string; reason: string; message: string }>;

describe('clusters that a FleetClusterSource keeps in step', () => {
  let hub: DirectCluster;
  let clock: ManualClock;
  let sources: ClusterSources;
  let owned = true;
  beforeEach(async () => {
    owned = true;
    clock = new ManualClock();
    hub = directCluster('hub');
    await serveKinds(hub, await fleetDefinitions());
    for (const name of ['argocd', 'default']) {
      await hub.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    sources = new ClusterSources({
      ...{ hub: hub.client, clock, log: silentLog, owns: () => owned },
      accounts: async () => ['flotilla/catalog-poller', 'flotilla/applier'],
    });
  });
  afterEach(async () => {
    await sources.stop();
    await hub.stop();
  });

  const secretOf = (name: string, { labels = {}, config = { bearerToken: TOKEN } as object, called = name } = {}) =>
    ({
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
      metadata: {
        ...{ name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster', ...labels } },
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': TOKEN },
      },
      data: { name: b64(called), server: b64(`https://${name}.example`), config: b64(JSON.stringify(config)) },
    }) as KubernetesObject;
  const put = (...args: Parameters<typeof secretOf>) => hub.client.apply(secretOf(...args));
  const follow = (name = 'argo', spec: object = {}) =>
    hub.client.create({
      ...{ ...SOURCES, metadata: { name } },
      spec: { from: 'ArgoCD', namespace: 'argocd', ...spec },
    } as KubernetesObject);
  const passed = () => clock.advance(1_000);
  const names = async () => {
    await passed();
    return hub.cluster.list(CLUSTERS).map(({ metadata }) => metadata.name);
  };
  const statusOf = async (name = 'argo') => {
    await passed();
    return (hub.cluster.get({ ...SOURCES, name })?.['status'] ?? {}) as FleetClusterSourceStatus;
  };
  const reasonsOf = async (name = 'argo') =>
    Object.fromEntries(((await statusOf(name)).conditions ?? []).map(({ type, reason }) => [type, reason]));
  const inSource = async (name: string) => {
    await passed();
    const { conditions = [] } = (hub.cluster.get({ ...CLUSTERS, name })?.['status'] ?? {}) as {
      conditions?: readonly Condition[];
    };
    const found = conditions.find(({ type }) => type === 'InSource');
    return found && `${found.status} ${found.reason}`;
  };
  const events = () =>
    hub.cluster
      .list({ apiVersion: 'v1', kind: 'Event' })
      .map((one) => `${(one['involvedObject'] as { name: string }).name} ${String(one['reason'])}`)
      .sort();

  it('are there with labels and the reference to their login, and nothing of the login', async () => {
    await put('east', { labels: { env: 'prod', 'app.kubernetes.io/instance': 'clusters' } });
    await follow();
    sources.start();
    await expect.poll(names, PATIENCE).toEqual(['east']);
    await expect.poll(() => inSource('east'), PATIENCE).toBe('True Present');
    expect(hub.cluster.get({ ...CLUSTERS, name: 'east' })).toMatchObject({
      metadata: {
        labels: { env: 'prod', 'fleet.flotilla.dev/source': 'argo' },
        annotations: { 'fleet.flotilla.dev/imported-from': 'Secret argocd/east' },
      },
      spec: { access: { secretRef: { name: 'east', namespace: 'argocd', format: 'ArgoCD' } } },
    });
    await expect
      .poll(() => statusOf(), PATIENCE)
      .toMatchObject({ clusters: 1, refusedCount: 0, leftCount: 0, observedGeneration: 1 });
    expect(events()).toEqual(['east Imported']);
    const reports = async () => {
      await passed();
      return sources.reports();
    };
    const reported = {
      name: 'argo',
      from: 'ArgoCD',
      namespace: 'argocd',
      clusters: 1,
      refused: 0,
      left: 0,
      message: '',
    };
    await expect.poll(reports, PATIENCE).toMatchObject([reported]);
    owned = false;
    expect(sources.reports(), 'another poller reports it').toEqual([]);
    const written = ['FleetCluster', 'FleetClusterSource'].flatMap((kind) =>
      hub.cluster.list({ apiVersion: FLEET_API, kind }),
    );
    expect(JSON.stringify([written, hub.cluster.list({ apiVersion: 'v1', kind: 'Event' })])).not.toContain('hush');
  });

  it('follow changes there, keep the labels of people, and cost no request at rest', async () => {
    await put('east', { labels: { env: 'prod', team: 'a' } });
    await follow();
    sources.start();
    await expect.poll(() => inSource('east'), PATIENCE).toBe('True Present');
    await hub.client.patch({ ...CLUSTERS, name: 'east' }, { metadata: { labels: { tier: 'lab' } } });
    await put('east', { labels: { env: 'test' } });
    const labels = async () => {
      await passed();
      const { 'fleet.flotilla.dev/source': _source, ...rest } =
        hub.cluster.get({ ...CLUSTERS, name: 'east' })?.metadata.labels ?? {};
      return rest;
    };
    await expect.poll(labels, PATIENCE).toEqual({ env: 'test', tier: 'lab' });
    await expect.poll(() => reasonsOf(), PATIENCE).toMatchObject({ Ready: 'InStep' });
    await passed();
    const before = hub.cluster.requests.length;
    for (let seconds = 0; seconds < 40; seconds += 1) await passed();
    expect(hub.cluster.requests.length).toBe(before);
  });

  it('stay when they leave, which is announced, and may come back', async () => {
    await put('east');
    await put('west');
    await follow();
    sources.start();
    await expect.poll(() => inSource('west'), PATIENCE).toBe('True Present');
    await hub.client.delete({ ...SECRETS, name: 'west' });
    await expect.poll(() => inSource('west'), PATIENCE).toBe('False Left');
    expect(await names()).toEqual(['east', 'west']);
    await expect
      .poll(() => statusOf(), PATIENCE)
      .toMatchObject({ clusters: 1, leftCount: 1, left: [{ cluster: 'west' }] });
    expect(await reasonsOf()).toMatchObject({ AllPresent: 'ClustersLeft', Ready: 'InStep' });
    expect(events()).toContain('west LeftSource');
    await put('west');
    await expect.poll(() => inSource('west'), PATIENCE).toBe('True Present');
    await expect.poll(() => reasonsOf(), PATIENCE).toMatchObject({ AllPresent: 'NoneLeft' });
    expect(events()).toContain('west BackInSource');
  });

  it('are named where they cannot be taken, and stay as they were', async () => {
    await put('east');
    await follow();
    sources.start();
    await expect.poll(() => inSource('east'), PATIENCE).toBe('True Present');
    await put('east', { config: { execProviderConfig: { command: 'sh' } } });
    await put('in-the-way', { called: 'east' });
    const refused = async () =>
      ((await statusOf()).refused ?? []).map(({ object, message }) => `${object}: ${message}`);
    await expect
      .poll(refused, PATIENCE)
      .toEqual([
        'Secret argocd/east: execProviderConfig would run a program in the hub: give the cluster a token',
        expect.stringMatching(
          /^Secret argocd\/in-the-way: FleetCluster "east" was imported from Secret argocd\/east: /,
        ),
      ]);
    expect(await inSource('east')).toBe('True Present');
    expect(hub.cluster.get({ ...CLUSTERS, name: 'east' })?.['spec']).toMatchObject({
      access: { secretRef: { name: 'east' } },
    });
  });

  it('belong to the source that had the name first', async () => {
    await put('east');
    await follow('first');
    sources.start();
    await expect.poll(() => inSource('east'), PATIENCE).toBe('True Present');
    await follow('second');
    await expect.poll(() => statusOf('second'), PATIENCE).toMatchObject({ clusters: 0, refusedCount: 1 });
    expect((await statusOf('second')).refused?.[0]?.message).toMatch(
      /^FleetCluster "east" is of FleetClusterSource "first": /,
    );
    expect(await reasonsOf('first')).toMatchObject({ Ready: 'InStep', Complete: 'AllTaken' });
  });

  it('belong to one of two sources that are made at once, and stay with it', async () => {
    await put('east');
    await follow('b-source');
    await follow('a-source');
    const held = hub.cluster.holdNext({ verb: 'patch', resource: 'fleetclusters' });
    sources.start();
    for (let seconds = 0; seconds < 5; seconds += 1) await passed();
    held.release();
    await expect.poll(() => statusOf('b-source'), PATIENCE).toMatchObject({ clusters: 0, refusedCount: 1 });
    expect(await statusOf('a-source')).toMatchObject({ clusters: 1, refusedCount: 0 });
    expect(hub.cluster.get({ ...CLUSTERS, name: 'east' })?.metadata.labels).toEqual({
      'fleet.flotilla.dev/source': 'a-source',
    });
    expect(events()).toEqual(['east Imported']);
  });

  it('wait for a right that is missing: the condition names it, and the status has the Role', async () => {
    await put('east');
    const said =
      'secrets is forbidden: User "poller" cannot list resource "secrets" in API group "" in the namespace "argocd"';
    const grant = hub.cluster.failAll({ verb: 'list', resource: 'secrets' }, new Refusal(403, 'Forbidden', said));
    await follow();
    sources.start();
    await expect.poll(() => reasonsOf(), PATIENCE).toEqual({ Ready: 'Forbidden' });
    const { conditions = [], role } = await statusOf();
    expect(conditions[0]?.message).toMatch(
      /^the poller may not list and watch secrets in namespace argocd; the owner of that namespace applies the Role in status.role \(/,
    );
    expect(role).toMatch(
      /kind: Role\nmetadata:\n {2}name: flotilla-import-argocd\n {2}namespace: argocd\n[\s\S]*"catalog-poller"[\s\S]*"applier"/,
    );
    for (const object of loadAll(role ?? '')) await hub.client.apply(KubernetesObject.parse(object));
    grant();
    await expect.poll(() => inSource('east'), PATIENCE).toBe('True Present');
    await expect.poll(async () => (await statusOf()).role, PATIENCE).toBeUndefined();
  });

  it('wait for the right to write FleetClusters', async () => {
    await put('east');
    const refusal = new Refusal(403, 'Forbidden', 'fleetclusters is forbidden');
    const grant = hub.cluster.failAll({ verb: 'patch', resource: 'fleetclusters' }, refusal);
    await follow();
    sources.start();
    await expect.poll(() => reasonsOf(), PATIENCE).toMatchObject({ Ready: 'WriteRefused' });
    expect((await statusOf()).conditions?.find(({ type }) => type === 'Ready')?.message).toMatch(
      /^the poller may not create and patch FleetClusters: bind ClusterRole flotilla:fleet-import to it \(/,
    );
    grant();
    await expect.poll(() => inSource('east'), PATIENCE).toBe('True Present');
  });

  it('are those of Cluster API, in the version that is served, once it is there', async () => {
    await follow('capi', { from: 'ClusterAPI', namespace: 'argocd' });
    sources.start();
    await expect.poll(() => reasonsOf('capi'), PATIENCE).toEqual({ Ready: 'NotServed' });
    const names = { kind: 'Cluster', listKind: 'ClusterList', plural: 'clusters', singular: 'cluster' };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await serveKinds(hub, [
      {
        ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
        metadata: { name: 'clusters.cluster.x-k8s.io' },
        spec: {
          ...{ group: 'cluster.x-k8s.io', names, scope: 'Namespaced' },
          versions: [{ name: 'v1beta1', served: true, storage: true, schema }],
        },
      },
    ]);
    await hub.client.create({
      ...{ apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster' },
      metadata: { name: 'edge', namespace: 'argocd', labels: { site: 'hall-7' } },
    });
    await expect.poll(() => inSource('edge'), PATIENCE).toBe('True Present');
    expect(hub.cluster.get({ ...CLUSTERS, name: 'edge' })).toMatchObject({
      metadata: { labels: { site: 'hall-7' } },
      spec: { access: { secretRef: { name: 'edge-kubeconfig', namespace: 'argocd', format: 'ClusterAPI' } } },
    });
  });

  it('are left to the poller that has the shard of the source, and to none while it is paused', async () => {
    owned = false;
    await put('east');
    await follow();
    sources.start();
    for (let seconds = 0; seconds < 20; seconds += 1) await passed();
    expect(await names()).toEqual([]);
    expect(await statusOf()).toEqual({});
    owned = true;
    await expect.poll(() => inSource('east'), PATIENCE).toBe('True Present');
    await hub.client.patch({ ...SOURCES, name: 'argo' }, { spec: { paused: true } });
    await expect.poll(() => reasonsOf(), PATIENCE).toMatchObject({ Ready: 'Paused' });
    await put('west');
    for (let seconds = 0; seconds < 20; seconds += 1) await passed();
    expect(await names()).toEqual(['east']);
  });

  it('lose what an earlier import brought and the tool has no more, and keep the labels of people', async () => {
    const before = secretOf('east', { labels: { env: 'prod', team: 'a' } });
    const { wanted } = planImport({ readings: [foreignCluster('ArgoCD', before)], existing: [] });
    for (const one of wanted) await hub.client.apply(one, { fieldManager: COMMAND });
    await hub.client.patch({ ...CLUSTERS, name: 'east' }, { metadata: { labels: { tier: 'lab' } } });
    await put('east', { labels: { env: 'prod' } });
    await follow();
    sources.start();
    await expect.poll(() => inSource('east'), PATIENCE).toBe('True Present');
    expect(hub.cluster.get({ ...CLUSTERS, name: 'east' })).toMatchObject({
      metadata: { annotations: { 'fleet.flotilla.dev/imported-from': 'Secret argocd/east' } },
      spec: { access: { secretRef: { name: 'east', namespace: 'argocd', format: 'ArgoCD' } } },
    });
    const { labels } = hub.cluster.get({ ...CLUSTERS, name: 'east' })?.metadata ?? {};
    expect(labels).toEqual({ env: 'prod', tier: 'lab', 'fleet.flotilla.dev/source': 'argo' });
  });

  it('stay when their source is deleted', async () => {
    await put('east');
    await follow();
    sources.start();
    await expect.poll(() => inSource('east'), PATIENCE).toBe('True Present');
    await hub.client.delete({ ...SOURCES, name: 'argo' });
    await hub.client.delete({ ...SECRETS, name: 'east' });
    for (let seconds = 0; seconds < 20; seconds += 1) await passed();
    expect(await inSource('east')).toBe('True Present');
  });
});
