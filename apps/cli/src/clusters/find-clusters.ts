import type { ManagementStatus } from '#core/cluster/joining/management-status';
import { signText } from '#core/cluster/joining/olm-signs';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { KIND } from '#core/kernel/api/kinds';
import { SystemClock } from '#platform/clock/system-clock';
import { globalCatalogNamespaceOf } from '#platform/clusters/managed-clusters';
import type { Settings } from '#platform/config/settings';
import { OlmDetector } from '#platform/joining/olm-detector';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { readOwner } from './cluster-owner.js';

/** What a check of a cluster finds, without writing anything. */
type FoundCluster = Readonly<{
  version: string;
  globalCatalogNamespace: string;
  /** Whether OLM's kinds are served. */
  olmKinds: boolean;
  management: ManagementStatus;
  /** The hub that manages it; empty where none does, or it may not be read. */
  hub: string;
  /** The UID of namespace kube-system; empty where it may not be read. */
  identity: string;
}>;

/** Checks a cluster; rejects where it does not answer. */
export async function findCluster(client: KubeClient, settings: Settings): Promise<FoundCluster> {
  const version = await client.serverVersion();
  const [globalCatalogNamespace, olmKinds, management, owner, identity] = await Promise.all([
    globalCatalogNamespaceOf(client, settings),
    client.serves(CATALOG_SOURCE_API),
    managementOf(client, settings),
    readOwner(client).catch(() => undefined),
    identityOf(client),
  ]);
  return { version, globalCatalogNamespace, olmKinds, management, hub: owner?.holder ?? '', identity };
}

/** Whether the hub acts there, or leaves the cluster to an OLM of its own. */
export const managementOf = (client: KubeClient, settings: Settings, access?: string): Promise<ManagementStatus> =>
  new OlmDetector({
    client,
    clock: new SystemClock(),
    consentedClusters: settings.clustersBesideOlm,
    globalCatalogNamespace: () => globalCatalogNamespaceOf(client, settings),
    everyMs: settings.resyncInterval,
    access,
  }).status();

/** Returns the UID of namespace kube-system, or an empty text if this login may not read it. */
export const identityOf = (client: KubeClient): Promise<string> =>
  client.get({ ...KIND.Namespace, name: 'kube-system' }).then(
    (found) => found?.metadata.uid ?? '',
    () => '',
  );

/** True if the login is the token of a ServiceAccount that never ends. */
export const isEndless = ({ account }: KubeClient): boolean => account !== undefined && account.expiresAt === undefined;

/** What of OLM is there, in a few words. */
export function olmText({ olmKinds, management }: FoundCluster): string {
  if (management.signs.length > 0) return `at work: ${management.signs.map(signText).join(', ')}`;
  return olmKinds ? 'kinds only' : 'none';
}
