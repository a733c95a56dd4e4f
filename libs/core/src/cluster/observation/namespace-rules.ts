import { componentLabelsOf } from '../../classic/operators/component-label.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { gatheringNamespaces, namespacesOfOperator, type OperatorHomes } from './gathering-namespaces.js';

/**
 * The known state of one cluster when an event arrives: enough to find the namespaces that the event
 * concerns.
 */
export type ClusterNamespaces = OperatorHomes &
  Readonly<{
    /** The object went. */
    isGone: boolean;
    /** Namespaces with a Subscription. */
    subscribed: ReadonlySet<string>;
    /** Namespaces with a ClusterServiceVersion that may wait for the object (`waitsForClusterObject`). */
    waitingForCluster: (object: KubernetesObject) => ReadonlySet<string>;
    /** True if an operator of the namespace waits for rights (`namespacesWaitingForRights`). */
    waitsForRights: (namespace: string) => boolean;
    /** Namespaces with an operator that uses this binding, by the name that its Service gives it. */
    sharing: (object: KubernetesObject) => ReadonlySet<string>;
    /**
     * Namespaces with an OperatorGroup that selects by labels, selects all, or names the Namespace in
     * question.
     */
    selecting: (object: KubernetesObject) => ReadonlySet<string>;
    /** Namespaces with an operator of that name and a group that may select this object's namespace. */
    copyingOver: (csv: KubernetesObject) => ReadonlySet<string>;
    /** Namespaces with an operator that contends for APIs with the OperatorGroup (`contendsForApis`). */
    contending: (group: KubernetesObject) => ReadonlySet<string>;
  }>;

/** Names the namespaces of an event of a watched object: a pass is due for each. */
export type NamespaceRule = (object: KubernetesObject, view: ClusterNamespaces) => Iterable<string>;

export const ownNamespace: NamespaceRule = ({ metadata }) =>
  metadata.namespace === undefined ? [] : [metadata.namespace];
/**
 * Returns the namespace of the owner in the labels, and of the original of a copied owner. The operator that
 * created the object restores it.
 */
const labelledOwners = ({ metadata: { labels } }: KubernetesObject): readonly string[] =>
  [labels?.['olm.owner.namespace'], labels?.['olm.copiedFrom']].filter((namespace) => namespace !== undefined);
export const ownerByLabel: NamespaceRule = (object, view) => {
  const owners = labelledOwners(object);
  return owners.length === 0 ? ownNamespace(object, view) : owners;
};
/**
 * Returns the namespaces for a CSV. A copy concerns the namespace of its original, since passes there keep it
 * up to date. The copy's own namespace counts only if it has a Subscription. An operator that is removed
 * leaves its place to a copy of the same name.
 */
export const ownOrOriginal: NamespaceRule = (object, view) => {
  const original = object.metadata.labels?.['olm.copiedFrom'];
  if (original === undefined) return [...ownNamespace(object, view), ...(view.isGone ? view.copyingOver(object) : [])];
  return [original, ...[...ownNamespace(object, view)].filter((namespace) => view.subscribed.has(namespace))];
};
export const waitingOrOwning: NamespaceRule = (object, view) => [
  ...view.waitingForCluster(object),
  ...labelledOwners(object),
];
/**
 * The namespaces of the Operators that gather the object: a label outlives its operator, and users put labels
 * on objects of other namespaces.
 */
export const gathering: NamespaceRule = (object, view) =>
  componentLabelsOf(object).flatMap((label) => gatheringNamespaces(label, view));
export const keepingOperator: NamespaceRule = ({ metadata }, view) =>
  namespacesOfOperator(metadata.name ?? '', view.isGone, view);
export const waiting: NamespaceRule = (object, view) => view.waitingForCluster(object);
/**
 * Rights that an operator has in its target namespaces are its own. An install that was forbidden in one of
 * these is tried again after any change of labelled rights there (spec: csv-lifecycle.md §2.0).
 */
export const ownerOrForbidden: NamespaceRule = (object, view) => [
  ...ownerByLabel(object, view),
  ...[...ownNamespace(object, view)].filter(view.waitsForRights),
];
/**
 * Returns a rule for a binding outside the namespaces of its operators: one of the operators that use it
 * created it.
 */
export const sharedToo =
  (rule: NamespaceRule): NamespaceRule =>
  (object, view) => [...rule(object, view), ...view.sharing(object)];
/** A group concerns operators of other groups, too: of two that meet, one alone may provide an API. */
export const ownOrContending: NamespaceRule = (object, view) => [
  ...ownNamespace(object, view),
  ...view.contending(object),
];
export const selectingNamespaces: NamespaceRule = (object, view) => view.selecting(object);
/**
 * A global catalog is seen by every namespace that subscribes; any other by its own alone
 * (spec: catalog-sources.md §2).
 */
export const seeingCatalog: NamespaceRule = ({ metadata }, view) => {
  const namespace = metadata.namespace ?? '';
  return namespace === view.globalCatalogNamespace ? [...view.subscribed, namespace] : [namespace];
};
