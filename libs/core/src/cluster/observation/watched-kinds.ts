import { KIND, type NamedKind } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { MANAGED_SELECTOR } from '../../kernel/api/owner-labels.js';
import {
  keepingOperator,
  type NamespaceRule,
  ownerByLabel,
  ownerOrForbidden,
  ownNamespace,
  ownOrContending,
  ownOrOriginal,
  seeingCatalog,
  selectingNamespaces,
  sharedToo,
  waiting,
  waitingOrOwning,
} from './namespace-rules.js';
import {
  isMarkedCopy,
  observedCsv,
  observedNames,
  observedOperatorGroup,
  observedSubscription,
} from './observed-part.js';

/** Memory for the refreshes, timers and statuses of one catalog, in addition to the object. */
const CATALOG_BYTES = 128 * 1024;
/** Memory for the metrics of one object, in addition to the object. */
const SERIES_BYTES = 2 * 1024;

/** Kinds that the poller watches together in a cluster. */
type WatchedKinds = Readonly<{
  /** The kinds, each with a rule: an event of it makes a pass due for these namespaces. */
  concerns: Readonly<Partial<Record<NamedKind, NamespaceRule>>>;
  labelSelector?: string;
  /**
   * The part of an object that the cache keeps: a fleet's caches are most of the poller's memory. `whole`:
   * all of it; each cluster has objects of its own, so nothing of them is shared between clusters.
   */
  keep: ((object: KubernetesObject) => KubernetesObject) | 'whole';
  /** Memory that the poller uses for an object, in addition to the object itself. */
  handlerBytes?: (object: KubernetesObject) => number;
  /**
   * True if the kind only starts passes. /healthz reports a missing right to watch it, and everything else
   * continues.
   */
  optional?: true;
}>;

/**
 * Every kind that the poller watches for OLM Classic, in one table. A further kind needs its API in
 * `kernel/api/kinds.ts`, a row here, rights in `k8s/base/managed-cluster/observe.yaml`, and a resource in the
 * simulator; `test/rules/watched-kinds.spec.ts` holds them together.
 */
export const WATCHED_KINDS: readonly WatchedKinds[] = [
  { concerns: { OperatorGroup: ownOrContending }, keep: observedOperatorGroup },
  { concerns: { OperatorCondition: ownNamespace, OLMConfig: selectingNamespaces }, keep: observedNames },
  { concerns: { CatalogSource: seeingCatalog }, keep: 'whole', handlerBytes: () => CATALOG_BYTES },
  { concerns: { Subscription: ownNamespace }, keep: observedSubscription, handlerBytes: () => SERIES_BYTES },
  {
    concerns: { ClusterServiceVersion: ownOrOriginal },
    keep: observedCsv,
    handlerBytes: (csv) => (isMarkedCopy(csv) ? 0 : SERIES_BYTES),
  },
  { concerns: { InstallPlan: ownNamespace }, keep: observedNames },
  { concerns: { Namespace: selectingNamespaces }, keep: observedNames },
  { concerns: { Operator: keepingOperator }, keep: observedNames, optional: true },
  { concerns: { CustomResourceDefinition: waiting }, keep: observedNames },
  {
    concerns: {
      Deployment: ownerByLabel,
      ServiceAccount: ownNamespace,
      Role: ownerOrForbidden,
      RoleBinding: sharedToo(ownerOrForbidden),
      ClusterRole: waitingOrOwning,
      ClusterRoleBinding: sharedToo(waitingOrOwning),
    },
    // OLM watches only its own objects of these kinds (spec: metrics.md §5), and so does the poller.
    labelSelector: MANAGED_SELECTOR,
    keep: observedNames,
  },
  // Secrets are missing on purpose: the poller may not read them, so the applier watches
  // theirs (decision 0008).
  {
    concerns: {
      Service: ownerByLabel,
      APIService: waitingOrOwning,
      ValidatingWebhookConfiguration: ownerByLabel,
      MutatingWebhookConfiguration: ownerByLabel,
    },
    labelSelector: MANAGED_SELECTOR,
    keep: observedNames,
    optional: true,
  },
];

/** The references of the kinds of a row. */
export const kindsOf = ({ concerns }: Pick<WatchedKinds, 'concerns'>): readonly (typeof KIND)[NamedKind][] =>
  (Object.keys(concerns) as NamedKind[]).map((name) => KIND[name]);
