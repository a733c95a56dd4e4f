import type { HubIdentity } from '#core/cluster/joining/cluster-owner';
import type { ManagementStatus } from '#core/cluster/joining/management-status';
import { KIND } from '#core/kernel/api/kinds';
import { SystemClock } from '#platform/clock/system-clock';
import { globalCatalogNamespaceOf } from '#platform/clusters/managed-clusters';
import type { Settings } from '#platform/config/settings';
import { type JoinReport, joinCluster } from '#platform/joining/join-cluster';
import { OwnerCheck } from '#platform/joining/owner-check';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { troubleOf } from '#platform/kube/errors/api-server-trouble';
import { managementOf } from '../../clusters/find-clusters.js';

/** A cluster that answered: its state, and the changes that were made. */
export type ReachedCluster = Readonly<{
  cluster: string;
  reached: true;
  version: string;
  /** Uid of its namespace kube-system: equal in two contexts that lead to one cluster. */
  identity?: string;
  globalCatalogNamespace: string;
  /** Another one acts there: the hub only reports. */
  observed?: boolean;
  /** The answer to the question if the hub acts in the cluster. */
  management: ManagementStatus;
  /** The installed objects; absent if nothing had to be installed. */
  joined?: JoinReport | undefined;
}>;

/** The findings of `flotilla up` about a cluster before it works there. */
export type CheckedCluster = ReachedCluster | Readonly<{ cluster: string; reached: false; because: string }>;

/** True if definitions may be installed in a cluster with this identity. */
type MayPrepare = (cluster: string, identity: string | undefined) => boolean;

/** `hub`: undefined for one that has no identity. */
export type UpCheckOptions = Readonly<{
  /** Options with which commands reach a cluster; undefined: its context is enough. */
  access?: ((cluster: string) => string) | undefined;
  mayPrepare: MayPrepare;
  /** True if the hub only reports on the cluster. */
  isObserved: (cluster: string) => boolean;
  hub: HubIdentity | undefined;
  /** Distinguishes hubs with that identity. Default: they count as one. */
  instance?: (() => Promise<string | undefined>) | undefined;
}>;

/**
 * Longest time to install a cluster's missing definitions: they are written one after the other, and served
 * after a moment.
 */
const JOINING_MS = 30_000;
const NO_ANSWER = 'check the load of the API server, its network, and its address in the kubeconfig';

/**
 * Checks a cluster, and registers it unless it is left to OLM. A cluster that does not answer in
 * time is reported as such.
 */
export async function checkCluster(
  client: KubeClient,
  settings: Settings,
  patienceMs: number,
  options: UpCheckOptions,
): Promise<CheckedCluster> {
  const { cluster } = client;
  try {
    const version = await inTime(client.serverVersion(), patienceMs);
    return await inTime(readCluster(client, settings, { ...options, version }), patienceMs + JOINING_MS);
  } catch (error) {
    return { cluster, reached: false, because: troubleOf(error) };
  }
}

async function readCluster(
  client: KubeClient,
  settings: Settings,
  { version, mayPrepare, isObserved, hub, instance, access }: UpCheckOptions & Readonly<{ version: string }>,
): Promise<ReachedCluster> {
  const [olm, globalCatalogNamespace, system] = await Promise.all([
    managementOf(client, settings, access?.(client.cluster)),
    globalCatalogNamespaceOf(client, settings),
    client.get({ ...KIND.Namespace, name: 'kube-system' }).catch(() => undefined),
  ]);
  const identity = system?.metadata.uid;
  const { cluster } = client;
  const mayTake = () => olm.acts && mayPrepare(cluster, identity);
  const owner = await new OwnerCheck({
    client,
    clock: new SystemClock(),
    ...{ hub, instance },
    mayTake,
    access: access?.(cluster),
  }).ask();
  const management = olm.acts && !owner.acts ? { ...olm, acts: false as const, because: owner.because } : olm;
  const isPrepared = management.acts && settings.joinInstall && mayPrepare(cluster, identity);
  const joined = isPrepared ? await joinCluster(client) : undefined;
  return {
    cluster,
    reached: true,
    version,
    ...(identity === undefined ? {} : { identity }),
    ...(isObserved(cluster) ? { observed: true } : {}),
    globalCatalogNamespace,
    management,
    joined,
  };
}

async function inTime<T>(work: Promise<T>, patienceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs / 1_000} s; ${NO_ANSWER}`)), patienceMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
