import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import type { Subscription } from '#core/kernel/api/subscription';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { KindRef } from '#platform/kube/client/kube-client.port';
import type { PassReader } from '../../engine/passes/pass-reader.js';

/** OLM's objects that concern one namespace, as the API server has them now; each list sorted by name. */
export type NamespaceRead = Readonly<{
  namespace: string;
  globalCatalogNamespace: string;
  subscriptions: readonly Subscription[];
  installPlans: readonly InstallPlan[];
  csvs: readonly ClusterServiceVersion[];
  operatorGroups: readonly OperatorGroup[];
  /** OperatorGroups of all other namespaces. */
  otherOperatorGroups: readonly OperatorGroup[];
  /** CatalogSources that the namespace sees: its own and the global ones. */
  catalogSources: readonly CatalogSource[];
}>;

/** A decision based on this is valid now, or its write is refused by the resourceVersion. */
export async function readNamespace(
  reader: PassReader,
  namespace: string,
  globalCatalogNamespace: string,
): Promise<NamespaceRead> {
  const list = async <T extends KubernetesObject>(kind: KindRef, where?: string): Promise<readonly T[]> => {
    const items = await reader.list<T>(kind, where === undefined ? {} : { namespace: where });
    return items.toSorted((a, b) => byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? ''));
  };
  const [subscriptions, installPlans, csvs, groups, ownCatalogs, globalCatalogs] = await Promise.all([
    list<Subscription>(KIND.Subscription, namespace),
    list<InstallPlan>(KIND.InstallPlan, namespace),
    list<ClusterServiceVersion>(KIND.ClusterServiceVersion, namespace),
    list<OperatorGroup>(KIND.OperatorGroup),
    list<CatalogSource>(KIND.CatalogSource, namespace),
    namespace === globalCatalogNamespace ? [] : list<CatalogSource>(KIND.CatalogSource, globalCatalogNamespace),
  ]);
  return {
    namespace,
    globalCatalogNamespace,
    subscriptions,
    installPlans,
    csvs: csvs.filter(({ metadata }) => !isGone(metadata)),
    operatorGroups: groups.filter(({ metadata }) => metadata.namespace === namespace),
    otherOperatorGroups: groups.filter(({ metadata }) => metadata.namespace !== namespace),
    catalogSources: [...ownCatalogs, ...globalCatalogs],
  };
}

/** True if an object is being deleted and has no finalizer: it is gone, and its watch has not said so yet. */
const isGone = ({ deletionTimestamp, finalizers = [] }: KubernetesObject['metadata']): boolean =>
  deletionTimestamp !== undefined && finalizers.length === 0;
