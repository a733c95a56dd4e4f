import { componentLabelsOf } from '../../classic/operators/component-label.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { isDnsLabel } from '../../kernel/labels/label-syntax.js';
import { gatheringNamespaces, namespacesOfOperator, type OperatorHomes } from './gathering-namespaces.js';

/** What is known of one cluster when an event arrives: enough to say which namespaces it concerns. */
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
    /** Namespaces whose OperatorGroup selects by labels, selects all, or names the Namespace in question. */
    selecting: (object: KubernetesObject) => ReadonlySet<string>;
    /** Namespaces with an operator of that name and a group that may select this object's namespace. */
    copyingOver: (csv: KubernetesObject) => ReadonlySet<string>;
    /** Namespaces with an operator that contends for APIs with the OperatorGroup (`contendsForApis`). */
    contending: (group: KubernetesObject) => ReadonlySet<string>;
  }>;

type Rule = (object: KubernetesObject, view: ClusterNamespaces) => Iterable<string>;

const own: Rule = ({ metadata }) => (metadata.namespace === undefined ? [] : [metadata.namespace]);
/**
 * The namespace of the owner that the labels name, and of the original of a copied owner: the operator that
 * made the object restores it.
 */
const labelledOwners = ({ metadata: { labels } }: KubernetesObject): readonly string[] =>
  [labels?.['olm.owner.namespace'], labels?.['olm.copiedFrom']].filter((namespace) => namespace !== undefined);
const ownerByLabel: Rule = (object, view) => {
  const owners = labelledOwners(object);
  return owners.length === 0 ? own(object, view) : owners;
};
/**
 * A copy concerns the namespace of its original, which keeps it in step; its own namespace only if there
 * is a Subscription in it. An operator that goes leaves its place to the copy of one of the same name.
 */
const ownOrOriginal: Rule = (object, view) => {
  const original = object.metadata.labels?.['olm.copiedFrom'];
  if (original === undefined) return [...own(object, view), ...(view.isGone ? view.copyingOver(object) : [])];
  return [original, ...[...own(object, view)].filter((namespace) => view.subscribed.has(namespace))];
};
const waitingOrOwning: Rule = (object, view) => [...view.waitingForCluster(object), ...labelledOwners(object)];
/**
 * The namespaces of the Operators that gather the object: a label outlives its operator, and users put labels
 * on objects of other namespaces.
 */
const gathering: Rule = (object, view) =>
  componentLabelsOf(object).flatMap((label) => gatheringNamespaces(label, view));
const keepingOperator: Rule = ({ metadata }, view) => namespacesOfOperator(metadata.name ?? '', view.isGone, view);
const waiting: Rule = (object, view) => view.waitingForCluster(object);
/**
 * Rights that an operator has in its target namespaces are its own. An install that was forbidden in one of
 * these is tried again after any change of labelled rights there (spec: csv-lifecycle.md §2.0).
 */
const ownerOrForbidden: Rule = (object, view) => [
  ...ownerByLabel(object, view),
  ...[...own(object, view)].filter(view.waitsForRights),
];
/** A binding outside the namespaces of its operators: one of the operators that use it has made it. */
const sharedToo =
  (rule: Rule): Rule =>
  (object, view) => [...rule(object, view), ...view.sharing(object)];
/** A group concerns operators of other groups, too: of two that meet, one alone may provide an API. */
const ownOrContending: Rule = (object, view) => [...own(object, view), ...view.contending(object)];
const selectingNamespaces: Rule = (object, view) => view.selecting(object);
/**
 * A global catalog is seen by every namespace that subscribes; any other by its own alone
 * (spec: catalog-sources.md §2).
 */
const seeingCatalog: Rule = ({ metadata }, view) => {
  const namespace = metadata.namespace ?? '';
  return namespace === view.globalCatalogNamespace ? [...view.subscribed, namespace] : [namespace];
};

const rules: Readonly<Record<string, Rule>> = {
  CatalogSource: seeingCatalog,
  Subscription: own,
  InstallPlan: own,
  ClusterServiceVersion: ownOrOriginal,
  OperatorGroup: ownOrContending,
  OperatorCondition: own,
  Deployment: ownerByLabel,
  ServiceAccount: own,
  Service: ownerByLabel,
  Role: ownerOrForbidden,
  RoleBinding: sharedToo(ownerOrForbidden),
  ClusterRole: waitingOrOwning,
  ClusterRoleBinding: sharedToo(waitingOrOwning),
  APIService: waitingOrOwning,
  ValidatingWebhookConfiguration: ownerByLabel,
  MutatingWebhookConfiguration: ownerByLabel,
  CustomResourceDefinition: waiting,
  Namespace: selectingNamespaces,
  OLMConfig: selectingNamespaces,
  Operator: keepingOperator,
};

/** The namespaces for which a pass is due after this object appeared, changed or went; sorted, each once. */
export function affectedNamespaces(object: KubernetesObject, view: ClusterNamespaces): string[] {
  const rule = rules[object.kind];
  if (rule === undefined) return [];
  const found = new Set([...rule(object, view), ...gathering(object, view)]);
  // Users write labels, too: one may name what no namespace can be named.
  return [...found].filter(isDnsLabel).toSorted(byCodeUnit);
}
