import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { fleetCrd } from '#core/rollout/kinds/custom-resource';
import { ClusterSightings } from '#lifecycle/fleet/cluster-sightings';
import { ManualClock } from '#platform/clock/manual-clock';
import { SystemClock } from '#platform/clock/system-clock';
import { KUBECONFIG_SECRET } from '#platform/fleet/secret-access';
import { SecretClusters } from '#platform/fleet/secret-clusters';
import { ReadBudget } from '#platform/kube/limits/read-budget';
import { ClusterRegistry } from '#platform/membership/cluster-registry';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectCluster, directClient, directCluster } from '#testing/cluster/direct-client';
import { PATIENCE } from '#testing/patience';
import { acceptCluster } from '../../apps/cli/src/commands/fleet/hub/accept-cluster.js';

const NAMESPACE = 'flotilla-system';
const SYSTEM = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' } as const;
const FLEET_CLUSTER = { apiVersion: FLEET_API, kind: 'FleetCluster' } as const;

/** `store-02` is the true cluster; the API server of `aaa-liar` gives its UID. */
describe('a FleetCluster that gives the identity of another one', () => {
  let hub: DirectCluster;
  let store: DirectCluster;
  let clock: ManualClock;
  let clusters: ServiceClusters;
  let endings: (() => unknown)[] = [];

  beforeEach(async () => {
    [hub, store] = [directCluster('hub'), directCluster('store')];
    hub.cluster.create(fleetCrd('FleetCluster'));
    await expect.poll(() => hub.client.serves(FLEET_CLUSTER), PATIENCE).toBe(true);
    await hub.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await start();
  });
  afterEach(async () => {
    await end();
    await Promise.all([hub, store].map((one) => one.stop()));
  });

  async function start(): Promise<void> {
    clock = new ManualClock();
    const common = { hub: hub.client, clock: new SystemClock(), log: silentLog };
    const credentials = new SecretClusters({ ...common, namespace: NAMESPACE, observes: false });
    const registry = await ClusterRegistry.open({
      source: {
        read: async () => credentials.beside({ members: [], problems: [] }),
        start: () => credentials.start(),
        stop: () => credentials.stop(),
      },
      fieldManagers: ['service'],
      clock,
      log: silentLog,
      random: () => 0,
      makeBudget: (cluster) => new ReadBudget(cluster),
      // The hub cannot tell them apart: both are read from one simulated cluster.
      makeClient: ({ fieldManager }) => directClient(store.cluster, fieldManager).client,
    });
    clusters = registry.of('service');
    const detectors = { status: async () => ({ acts: true, signs: [] }) as const };
    const parts = { hub: hub.client, clusters, detectors, clock, log: silentLog, credentials, isAlone: true };
    const sightings = new ClusterSightings(parts);
    registry.start();
    sightings.start();
    endings = [() => registry.close(), () => sightings.stop()];
  }
  async function end(): Promise<void> {
    for (const ending of endings.splice(0).toReversed()) await ending();
  }

  async function join(name: string): Promise<void> {
    await hub.client.create({
      ...{ apiVersion: 'v1', kind: 'Secret', type: KUBECONFIG_SECRET },
      metadata: { name, namespace: NAMESPACE },
      data: { kubeconfig: Buffer.from(JSON.stringify(kubeconfigOf(name))).toString('base64') },
    } as KubernetesObject);
    const spec = { access: { secretRef: { name } } };
    await hub.client.create({ ...FLEET_CLUSTER, metadata: { name }, spec } as KubernetesObject);
  }
  const becomes = (what: () => unknown) =>
    expect.poll(async () => {
      await clock.advance(1_000);
      return what();
    }, PATIENCE);
  const said = (name: string) => {
    const { status } = (hub.cluster.get({ ...FLEET_CLUSTER, name }) ?? {}) as {
      status?: Readonly<{ conditions?: readonly Readonly<Record<string, string>>[] }>;
    };
    const found = status?.conditions?.find(({ type }) => type === 'IdentityUnique');
    return found && `${found['status']} ${found['reason']}: ${found['message']}`;
  };
  const working = () => ['aaa-liar', 'store-02'].filter((name) => clusters.client(name) !== undefined);

  it('from its first join is refused, also after a restart, and both say so', async () => {
    await join('store-02');
    await becomes(working).toEqual(['store-02']);
    await expect.poll(() => uid('store-02'), PATIENCE).toBe(store.cluster.get(SYSTEM)?.metadata.uid);
    await join('aaa-liar');
    await becomes(() => said('aaa-liar')).toMatch(/^False Refused: .* leads to the same cluster as "store-02"/);
    await becomes(() => said('store-02')).toMatch(/^False Claimed: .* "aaa-liar" .* claims to be cluster "store-02"/);
    expect(working()).toEqual(['store-02']);
    // Nothing but the status of the FleetCluster is left of the hub's memory.
    await end();
    await start();
    await becomes(working).toEqual(['store-02']);
    await hub.client.delete({ ...FLEET_CLUSTER, name: 'aaa-liar' });
    await becomes(() => said('store-02')).toBe('True Unique: ');
  });

  it('and came first keeps it until a person says which one it is', async () => {
    await join('aaa-liar');
    await becomes(working).toEqual(['aaa-liar']);
    await join('store-02');
    await becomes(() => said('store-02')).toMatch(/^False Refused/);
    await becomes(() => said('aaa-liar')).toMatch(/^False Claimed/);
    const io = { out: () => undefined, err: () => undefined, exit: () => undefined };
    const options = { name: 'store-02', uid: store.cluster.get(SYSTEM)?.metadata.uid, dryRun: false };
    await acceptCluster(hub.client, io as never, options);
    await becomes(working).toEqual(['store-02']);
    await becomes(() => said('aaa-liar')).toMatch(/^False Refused/);
  });

  const uid = (name: string) => {
    const { status } = (hub.cluster.get({ ...FLEET_CLUSTER, name }) ?? {}) as { status?: Readonly<{ uid?: string }> };
    return status?.uid;
  };
});

const kubeconfigOf = (server: string) => ({
  ...{ apiVersion: 'v1', kind: 'Config' },
  clusters: [{ name: 'c', cluster: { server: `https://${server}` } }],
  users: [{ name: 'u', user: { token: 't' } }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
});
