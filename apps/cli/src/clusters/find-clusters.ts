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

/** The findings of a check of a cluster, which writes nothing. */
type FoundCluster = Readonly<{
  version: string;
  globalCatalogNamespace: string;
  /** True if the cluster serves OLM's kinds. */
  olmKinds: boolean;
  management: ManagementStatus;
  /** The hub that manages the cluster; empty if none does, or if this login may not read it. */
  hub: string;
  /** The UID of namespace kube-system; empty if this login may not read it. */
  identity: string;
}>;

/** Checks a cluster. Rejects if the cluster does not answer. */
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

/** Reads whether the hub acts in a cluster, or leaves it to an OLM of its own. */
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

/** Describes in a few words the parts of OLM that the cluster has. */
export function olmText({ olmKinds, management }: FoundCluster): string {
  if (management.signs.length > 0) return `at work: ${management.signs.map(signText).join(', ')}`;
  return olmKinds ? 'kinds only' : 'none';
}
