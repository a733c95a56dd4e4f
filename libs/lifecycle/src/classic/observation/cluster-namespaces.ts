import { isSharedBinding, usesBinding } from '#core/classic/csv/certificates/serving-names';
import { componentLabel, labelOfOperator } from '#core/classic/operators/component-label';
import { contendsForApis } from '#core/cluster/observation/contends-for-apis';
import type { ClusterNamespaces } from '#core/cluster/observation/namespace-rules';
import { namespacesWaitingForRights } from '#core/cluster/observation/waiting-for-rights';
import { isForOwnerAlone, waitsForClusterObject } from '#core/cluster/observation/waits-for-cluster-object';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import type { Subscription } from '#core/kernel/api/subscription';
import { type ObservedObjects } from './observed-objects.js';

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
    return new Set([...namespacesOf(cache.named(KIND.Subscription)), ...wanted]);
  },
  selecting: ({ metadata }) =>
    namespacesOf(cache.list<OperatorGroup>(KIND.OperatorGroup).filter((group) => maySelect(group, metadata.name))),
  sharing: ({ metadata: { name = '' } }) =>
    isSharedBinding(name) ? namespacesOf(cache.originals().filter((csv) => usesBinding(csv, name))) : new Set(),
  waitingForCluster: (object) => {
    if (isForOwnerAlone(object, own)) return new Set();
    return namespacesOf(cache.originals().filter((csv) => waitsForClusterObject(csv, object)));
  },
  waitsForRights: (namespace) => namespacesWaitingForRights(cache.originals(namespace)).length > 0,
  contending: (group) => namespacesOf(cache.originals().filter((csv) => contendsForApis(csv, group as OperatorGroup))),
  copyingOver: ({ metadata: { name, namespace } }) => {
    const namesakes = cache.originals().filter(({ metadata }) => metadata.name === name);
    const homes = [...namespacesOf(namesakes)].filter((home) => home !== namespace);
    return new Set(
      homes.filter((home) =>
        cache.list<OperatorGroup>(KIND.OperatorGroup, home).some((group) => maySelect(group, namespace)),
      ),
    );
  },
  hasNamespace: (name) => cache.has(KIND.Namespace, name),
  subscribedTo: (label, namespace) =>
    namespacesOf(
      cache
        .list<Subscription>(KIND.Subscription, namespace)
        .filter(({ spec, metadata }) => componentLabel(spec.name, metadata.namespace ?? '') === label),
    ),
  operatorsOf: (label) =>
    cache
      .named(KIND.Operator)
      .flatMap(({ metadata: { name = '' } }) => (labelOfOperator(name) === label ? [name] : [])),
});

export const namespacesOf = (objects: readonly Pick<KubernetesObject, 'metadata'>[]): Set<string> =>
  new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));

function maySelect({ spec }: OperatorGroup, namespace = ''): boolean {
  const named = spec?.targetNamespaces ?? [];
  return named.length === 0 || named.includes(namespace);
}
