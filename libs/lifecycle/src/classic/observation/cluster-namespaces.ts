import { isSharedBinding, usesBinding } from '#core/classic/csv/certificates/serving-names';
import { componentLabel, labelOfOperator } from '#core/classic/operators/component-label';
import type { ClusterNamespaces } from '#core/cluster/observation/affected-namespaces';
import { contendsForApis } from '#core/cluster/observation/contends-for-apis';
import { namespacesWaitingForRights } from '#core/cluster/observation/waiting-for-rights';
import { isForOwnerAlone, waitsForClusterObject } from '#core/cluster/observation/waits-for-cluster-object';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import type { Subscription } from '#core/kernel/api/subscription';
import { NAMESPACES, type ObservedObjects, OPERATOR_GROUPS, OPERATORS, SUBSCRIPTIONS } from './observed-objects.js';

/** An event about an object, with facts about its cluster. */
type EventContext = Readonly<{
  globalCatalogNamespace: string;
  /** Namespaces that a fleet concerns. */
  wanted: ReadonlySet<string>;
  isGone: boolean;
  /** The applier wrote the object last. */
  own: boolean;
}>;

/**
 * Answers questions about an event from the objects of its cluster. Each answer is computed only if the
 * kind of the event asks for it: most events concern their own namespace alone.
 */
export const clusterNamespaces = (
  cache: ObservedObjects,
  { globalCatalogNamespace, wanted, isGone, own }: EventContext,
): ClusterNamespaces => ({
  globalCatalogNamespace,
  isGone,
  get subscribed() {
    return new Set([...namespacesOf(cache.named(SUBSCRIPTIONS)), ...wanted]);
  },
  selecting: ({ metadata }) =>
    namespacesOf(cache.list<OperatorGroup>(OPERATOR_GROUPS).filter((group) => maySelect(group, metadata.name))),
  sharing: ({ metadata: { name = '' } }) =>
    isSharedBinding(name) ? namespacesOf(cache.originals().filter((csv) => usesBinding(csv, name))) : new Set(),
  waitingForCluster: (object) => {
    if (isForOwnerAlone(object, own)) return new Set();
    return namespacesOf(cache.originals().filter((csv) => waitsForClusterObject(csv, object)));
  },
  waitsForRights: (namespace) => namespacesWaitingForRights(cache.originals(namespace)).length > 0,
  contending: (group) =>
    namespacesOf(cache.originals().filter((csv) => contendsForApis(csv, group as unknown as OperatorGroup))),
  copyingOver: ({ metadata: { name, namespace } }) => {
    const namesakes = cache.originals().filter(({ metadata }) => metadata.name === name);
    const homes = [...namespacesOf(namesakes)].filter((home) => home !== namespace);
    return new Set(
      homes.filter((home) =>
        cache.list<OperatorGroup>(OPERATOR_GROUPS, home).some((group) => maySelect(group, namespace)),
      ),
    );
  },
  hasNamespace: (name) => cache.has(NAMESPACES, name),
  subscribedTo: (label, namespace) =>
    namespacesOf(
      cache
        .list<Subscription>(SUBSCRIPTIONS, namespace)
        .filter(({ spec, metadata }) => componentLabel(spec.name, metadata.namespace ?? '') === label),
    ),
  operatorsOf: (label) =>
    cache.named(OPERATORS).flatMap(({ metadata: { name = '' } }) => (labelOfOperator(name) === label ? [name] : [])),
});

export const namespacesOf = (objects: readonly Pick<KubernetesObject, 'metadata'>[]): Set<string> =>
  new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));

function maySelect({ spec }: OperatorGroup, namespace = ''): boolean {
  const named = spec?.targetNamespaces ?? [];
  return named.length === 0 || named.includes(namespace);
}
