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
const NAME = 'store-01';
const MEMBER = { apiVersion: FLEET_API, kind: 'FleetCluster', name: NAME } as const;
const SYSTEM = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' } as const;

describe('a Secret that leads to another cluster', () => {
  let hub: DirectCluster;
  let first: DirectCluster;
  let other: DirectCluster;
  let clock: ManualClock;
  let clusters: ServiceClusters;
  const endings: (() => unknown)[] = [];

  beforeEach(async () => {
    [hub, first, other] = [directCluster('hub'), directCluster('first'), directCluster('other')];
    hub.cluster.create(fleetCrd('FleetCluster'));
    await expect.poll(() => hub.client.serves(MEMBER), PATIENCE).toBe(true);
    await hub.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await hub.client.create(secretFor('first'));
    const spec = { access: { secretRef: { name: 'login' } } };
    await hub.client.create({ ...MEMBER, metadata: { name: NAME }, spec } as KubernetesObject);
    await start();
    await becomes(identity).toBe('True Same');
  });
  afterEach(async () => {
    await end();
    await Promise.all([hub, first, other].map((one) => one.stop()));
  });

  const secretFor = (server: string): KubernetesObject =>
    ({
      ...{ apiVersion: 'v1', kind: 'Secret', type: KUBECONFIG_SECRET },
      metadata: { name: 'login', namespace: NAMESPACE },
      data: { kubeconfig: Buffer.from(JSON.stringify(kubeconfigOf(server))).toString('base64') },
    }) as KubernetesObject;
  const leadTo = async (server: string) => {
    const { data } = secretFor(server) as unknown as { data: object };
    await hub.client.patch({ apiVersion: 'v1', kind: 'Secret', name: 'login', namespace: NAMESPACE }, { data });
  };

  /** Starts the membership of a service and the reports of a poller, both without a memory. */
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
      makeClient: ({ access, fieldManager }) => {
        const { cluster } = access.cluster.server === 'https://first' ? first : other;
        return directClient(cluster, fieldManager).client;
      },
    });
    clusters = registry.of('service');
    const detectors = { status: async () => ({ acts: true, signs: [] }) as const };
    const parts = { hub: hub.client, clusters, detectors, clock, log: silentLog, credentials, isAlone: true };
    const sightings = new ClusterSightings(parts);
    registry.start();
    sightings.start();
    endings.push(
      () => registry.close(),
      () => sightings.stop(),
    );
  }
  async function end(): Promise<void> {
    for (const ending of endings.splice(0).toReversed()) await ending();
  }

  const becomes = (what: () => unknown) =>
    expect.poll(async () => {
      await clock.advance(1_000);
      return what();
    }, PATIENCE);
  const status = () =>
    (hub.cluster.get(MEMBER)?.['status'] ?? {}) as Readonly<{
      uid?: string;
      conditions?: readonly Readonly<Record<string, string>>[];
    }>;
  const identity = () => {
    const found = status().conditions?.find(({ type }) => type === 'IdentityStable');
    return found && `${found['status']} ${found['reason']}`;
  };
  const uidOf = ({ cluster }: DirectCluster) => cluster.get(SYSTEM)?.metadata.uid;
  /** Returns the cluster in use by the services. */
  const worksIn = async () => (await clusters.client(NAME)?.get(SYSTEM))?.metadata.uid;

  it('is not used, is reported, and is used once that cluster is accepted', async () => {
    expect([status().uid, await worksIn()]).toEqual([uidOf(first), uidOf(first)]);
    await leadTo('other');
    await becomes(identity).toBe('False Changed');
    expect(status().uid).toBe(uidOf(first));
    expect(await worksIn(), 'the login before is in use still').toBe(uidOf(first));

    await end();
    await start();
    await becomes(() => clusters.replacedBy?.(NAME)).toBe(uidOf(other));
    expect(clusters.client(NAME), 'a hub that starts anew').toBeUndefined();
    await becomes(identity).toBe('False Changed');
    expect(other.cluster.requests.writes()).toEqual([]);

    const io = { out: () => undefined, err: () => undefined, exit: () => undefined };
    await acceptCluster(hub.client, io as never, { name: NAME, uid: undefined, dryRun: false });
    await becomes(identity).toBe('True Same');
    expect([status().uid, await worksIn()]).toEqual([uidOf(other), uidOf(other)]);
  });

  it('is forgotten once the Secret leads back', async () => {
    await leadTo('other');
    await becomes(identity).toBe('False Changed');
    await leadTo('first');
    await becomes(identity).toBe('True Same');
    expect([status().uid, await worksIn()]).toEqual([uidOf(first), uidOf(first)]);
  });
});

const kubeconfigOf = (server: string) => ({
  ...{ apiVersion: 'v1', kind: 'Config' },
  clusters: [{ name: 'c', cluster: { server: `https://${server}` } }],
  users: [{ name: 'u', user: { token: 't' } }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
});
