import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FORCE_REMOVAL_ANNOTATION, RELEASE_FINALIZER } from '#core/cluster/membership/cluster-release';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/kernel/api/cluster-service-version';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { fleetCrd } from '#core/rollout/kinds/custom-resource';
import { ManualClock } from '#platform/clock/manual-clock';
import { SystemClock } from '#platform/clock/system-clock';
import { ReleaseMarks } from '#platform/fleet/release-marks';
import { KUBECONFIG_SECRET } from '#platform/fleet/secret-access';
import { SecretClusters } from '#platform/fleet/secret-clusters';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectCluster, directClient, directCluster } from '#testing/cluster/direct-client';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { PATIENCE } from '#testing/patience';
import { ClusterReleases } from './cluster-releases.js';

const NAMESPACE = 'flotilla-system';
const NAME = 'store-01';
const FLEET_CLUSTER = { apiVersion: FLEET_API, kind: 'FleetCluster', name: NAME } as const;
const SECRET = { apiVersion: 'v1', kind: 'Secret', name: 'login', namespace: NAMESPACE } as const;
const SYSTEM = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' } as const;
const CSV = { ...CSV_API, name: 'harbor.v1', namespace: 'harbors' } as const;
const OWNER = 'flotilla.dev/hub';
const INSTANCE = 'flotilla.dev/hub-instance';
const ASKS = 'flotilla.dev/hub-asks';
const OTHERS = 'example.com/other';
const none = { members: [], problems: [] };

describe('a FleetCluster whose login is in a Secret', () => {
  let hub: DirectCluster;
  let store: DirectCluster;
  let clock: ManualClock;
  let secrets: SecretClusters;
  let releases: ClusterReleases;
  let isAway: boolean;

  beforeEach(async () => {
    isAway = false;
    [hub, store] = [directCluster('hub'), directCluster(NAME)];
    hub.cluster.create(fleetCrd('FleetCluster'));
    await expect.poll(() => hub.client.serves(FLEET_CLUSTER), PATIENCE).toBe(true);
    await hub.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await serveKnownCrds(store.client, store.cluster);
    await store.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'harbors' } });
    const finalizers = [CSV_CLEANUP_FINALIZER, OTHERS];
    const metadata = { name: CSV.name, namespace: CSV.namespace, finalizers };
    const install = { strategy: 'deployment', spec: { deployments: [] } };
    store.cluster.create({ ...CSV_API, metadata, spec: { displayName: 'Harbor', install } });
    await store.client.patch(SYSTEM, { metadata: { annotations: { [OWNER]: 'hub-1' } } });
    await hub.client.create(login());
    await hub.client.create({
      ...{ apiVersion: FLEET_API, kind: 'FleetCluster', metadata: { name: NAME } },
      spec: { access: { secretRef: { name: 'login' } } },
    } as KubernetesObject);
    start();
  });
  afterEach(async () => {
    await end();
    await Promise.all([hub.stop(), store.stop()]);
  });

  const login = () =>
    ({
      ...{ apiVersion: 'v1', kind: 'Secret', type: KUBECONFIG_SECRET },
      metadata: { name: SECRET.name, namespace: NAMESPACE },
      data: { kubeconfig: Buffer.from(JSON.stringify(KUBECONFIG)).toString('base64') },
    }) as KubernetesObject;

  function start(): void {
    clock = new ManualClock();
    secrets = new SecretClusters({
      ...{ hub: hub.client, namespace: NAMESPACE, clock: new SystemClock(), log: silentLog, observes: false },
    });
    secrets.start();
    const open = async () => {
      if (isAway) throw new KubeApiError(NAME, 0, 'Unreachable', 'connection refused');
      return directClient(store.cluster, 'release').client;
    };
    const clients = () => (members().length > 0 ? [store.client] : []);
    const clusters = { known: () => members(), clients, subscribe: () => () => undefined };
    const identity = { id: 'hub-1', older: [] };
    const marks = new ReleaseMarks({ hub: hub.client, secrets });
    const parts = { secrets, marks, clusters, owns: () => true, open, identity, instance: async () => 'a' };
    releases = new ClusterReleases({ hub: hub.client, ...parts, clock, log: silentLog });
    releases.start();
  }
  async function end(): Promise<void> {
    releases.stop();
    await secrets.stop();
  }
  const members = () => secrets.beside(none).members.map(({ cluster }) => cluster);
  const object = () => hub.cluster.get(FLEET_CLUSTER);
  const finalizers = () => object()?.metadata.finalizers;
  const csvFinalizers = () => store.cluster.get(CSV)?.metadata.finalizers;
  const managed = () => {
    const { conditions = [] } = (object()?.['status'] ?? {}) as { conditions?: Record<string, string>[] };
    const found = conditions.find(({ type }) => type === 'Managed');
    return found && `${found['status']} ${found['reason']}: ${found['message']}`;
  };
  /** Seconds pass until it is so. */
  const becomes = (what: () => unknown) =>
    expect.poll(async () => {
      members();
      await clock.advance(1_000);
      return what();
    }, PATIENCE);
  const sight = async (status: object) => {
    await hub.client.updateStatus({ ...(await hub.client.get(FLEET_CLUSTER)), status } as KubernetesObject);
  };
  async function joined(): Promise<void> {
    await becomes(finalizers).toEqual([RELEASE_FINALIZER]);
  }
  const remove = () => hub.client.delete(FLEET_CLUSTER);

  it('has its finalizer at once though its status is written at the same moment', async () => {
    hub.cluster.failNext({ verb: 'patch', resource: 'fleetclusters' }, 409, 'Conflict');
    await expect.poll(members, PATIENCE).toEqual([NAME]);
    await clock.advance(1_000);
    await expect.poll(finalizers, PATIENCE).toEqual([RELEASE_FINALIZER]);
  });

  it('stays when it is deleted until the finalizers of the hub are released, and nothing else', async () => {
    await joined();
    expect(csvFinalizers()).toEqual([CSV_CLEANUP_FINALIZER, OTHERS]);
    await remove();
    expect(object()).toBeDefined();
    await becomes(object).toBeUndefined();
    expect(csvFinalizers()).toEqual([OTHERS]);
    expect(store.cluster.get(SYSTEM)?.metadata.annotations?.[OWNER]).toBeUndefined();
  });

  it('has its cluster released, too, where the Secret goes with it', async () => {
    await joined();
    await hub.client.delete(SECRET);
    await remove();
    await becomes(object).toBeUndefined();
    expect(csvFinalizers()).toEqual([OTHERS]);
  });

  it('says so where the Secret is gone and was in no memory, and goes on once it is back', async () => {
    await joined();
    await end();
    await hub.client.delete(SECRET);
    await remove();
    start();
    await becomes(managed).toMatch(
      /^False Leaving: its finalizers are not released: there is no Secret flotilla-system\/login .*create the Secret again/,
    );
    expect(csvFinalizers()).toEqual([CSV_CLEANUP_FINALIZER, OTHERS]);
    await hub.client.create(login());
    await becomes(object).toBeUndefined();
    expect(csvFinalizers()).toEqual([OTHERS]);
  });

  it('waits for a cluster that cannot be reached, until it is annotated to give up', async () => {
    await joined();
    isAway = true;
    await remove();
    await becomes(managed).toMatch(/^False Leaving: .*connection refused; to remove .*force-removal=true/);
    expect(object()).toBeDefined();
    await hub.client.patch(FLEET_CLUSTER, { metadata: { annotations: { [FORCE_REMOVAL_ANNOTATION]: 'true' } } });
    await becomes(object).toBeUndefined();
    expect(csvFinalizers()).toEqual([CSV_CLEANUP_FINALIZER, OTHERS]);
  });

  it('releases nothing in another cluster that answers under its name', async () => {
    await joined();
    await sight({ uid: 'the-one-before', conditions: [] });
    await remove();
    await becomes(managed).toMatch(/^False Leaving: .*another cluster answers: its kube-system has UID/);
    expect(csvFinalizers()).toEqual([CSV_CLEANUP_FINALIZER, OTHERS]);
  });

  it.each([
    ['that another hub manages', { annotation: 'hub-2', instance: null, reason: 'Acting' }],
    ['that another hub with the same identity manages', { annotation: 'hub-1', instance: 'b', reason: 'Acting' }],
    ['that is left to OLM', { annotation: null, instance: null, reason: 'LeftToOLM' }],
  ])('releases nothing in a cluster %s, and goes at once', async (_what, { annotation, instance, reason }) => {
    await joined();
    const asks = `a ${clock.now().toISOString()} answered`;
    const annotations = { [OWNER]: annotation, [INSTANCE]: instance, [ASKS]: asks };
    await store.client.patch(SYSTEM, { metadata: { annotations } });
    await sight({ conditions: [{ type: 'Managed', status: 'False', reason }] });
    await remove();
    await becomes(object).toBeUndefined();
    expect(csvFinalizers()).toEqual([CSV_CLEANUP_FINALIZER, OTHERS]);
    expect(store.cluster.get(SYSTEM)?.metadata.annotations?.[OWNER] ?? null).toBe(annotation);
  });

  it('stays until it is known whether another hub with the same identity is at work there', async () => {
    await joined();
    await store.client.patch(SYSTEM, { metadata: { annotations: { [INSTANCE]: 'gone' } } });
    await remove();
    await becomes(managed).toMatch(
      /^False Leaving: its finalizers are not released: .*has asked it whether it still does/,
    );
    expect(csvFinalizers()).toEqual([CSV_CLEANUP_FINALIZER, OTHERS]);
    await becomes(object).toBeUndefined();
    expect(csvFinalizers()).toEqual([OTHERS]);
    expect(store.cluster.get(SYSTEM)?.metadata.annotations?.[OWNER]).toBeUndefined();
  });
});

const KUBECONFIG = {
  ...{ apiVersion: 'v1', kind: 'Config' },
  clusters: [{ name: 'c', cluster: { server: 'https://store-01.example' } }],
  users: [{ name: 'u', user: { token: 't' } }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
};
