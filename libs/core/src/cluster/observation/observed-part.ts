import { PROVIDED_APIS_ANNOTATION } from '../../classic/operator-group/group-facts.js';
import { componentLabelsOf } from '../../classic/operators/component-label.js';
import {
  EXCLUDE_GLOBAL,
  ISOLATION_ANNOTATION,
  PROPERTIES_ANNOTATION,
} from '../../classic/resolution/problem/desired-namespace.js';
import { OBSERVED_CONDITIONS } from '../../classic/subscription/subscription-conditions.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { asList, asRecord, asText } from '../../kernel/crd/loose-value.js';
import { isRecord } from '../../kernel/json/json-access.js';

type Fields = Readonly<Record<string, unknown>>;

const COPIED_FROM = 'olm.copiedFrom';
const OPERATOR_NAMESPACE = 'olm.operatorNamespace';
const OWNER_NAMESPACE = 'olm.owner.namespace';
/** Labels that name the namespace of an object's owner or original. */
const LABELS = [OWNER_NAMESPACE, COPIED_FROM];
const CSV_ANNOTATIONS = [OPERATOR_NAMESPACE, PROPERTIES_ANNOTATION];
const GROUP_ANNOTATIONS = [ISOLATION_ANNOTATION, EXCLUDE_GLOBAL, PROVIDED_APIS_ANNOTATION];
const SUBSCRIPTION_SPEC = ['name', 'channel', 'startingCSV', 'source', 'sourceNamespace', 'installPlanApproval'];
const API_FIELDS = ['name', 'group', 'version', 'kind', 'deploymentName'];

/** True if a ClusterServiceVersion is marked as a copy of one in another namespace. */
export function isMarkedCopy({ metadata: { labels, namespace } }: KubernetesObject): boolean {
  return labels?.[COPIED_FROM] !== undefined && labels[COPIED_FROM] !== namespace;
}

/** Projects an object to its identity, its version and the namespace that it concerns. */
export const observedNames = (object: KubernetesObject): KubernetesObject => withNames(object, [], {});

const isObserved = ({ type, status }: Fields): boolean => status === 'True' && OBSERVED_CONDITIONS.has(asText(type));

/** Projects a Subscription for resolution, metrics and the choice of namespaces. */
export function observedSubscription(object: KubernetesObject): KubernetesObject {
  const { installedCSV, currentCSV, installPlanRef, state, conditions } = asRecord(object['status']);
  const observed = asList(conditions).map(asRecord).filter(isObserved);
  const status = {
    ...present({ installedCSV, currentCSV, state }),
    // For the metrics: that it cannot be resolved, and the reason.
    ...(observed.length === 0
      ? {}
      : { conditions: observed.map(({ type, status: holds, reason }) => present({ type, status: holds, reason })) }),
    // Only the existence of a plan matters, not its name: each cluster has names of its own.
    ...(installPlanRef === undefined ? {} : { installPlanRef: { name: '' } }),
  };
  return withNames(object, [], {
    spec: only(asRecord(object['spec']), SUBSCRIPTION_SPEC),
    ...(object['status'] === undefined ? {} : { status }),
  });
}

/** Projects an OperatorGroup like {@link observedSubscription}. */
export const observedOperatorGroup = (object: KubernetesObject): KubernetesObject =>
  withNames(object, GROUP_ANNOTATIONS, {
    ...(object['spec'] === undefined
      ? {}
      : { spec: only(asRecord(object['spec']), ['upgradeStrategy', 'targetNamespaces']) }),
  });

/**
 * Projects a ClusterServiceVersion like {@link observedSubscription}. Descriptions, icon and deployments are
 * by far its largest part. A large cluster has a hundred thousand copies: of these, only the marks of a copy
 * are kept.
 */
export function observedCsv(object: KubernetesObject): KubernetesObject {
  if (isMarkedCopy(object)) {
    return withNames(object, [OPERATOR_NAMESPACE], { spec: {}, status: { reason: 'Copied' } });
  }
  const spec = asRecord(object['spec']);
  const { version, replaces, customresourcedefinitions, apiservicedefinitions, webhookdefinitions, nativeAPIs } = spec;
  const { phase, reason } = asRecord(object['status']);
  return withNames(object, CSV_ANNOTATIONS, {
    spec: present({
      version,
      replaces,
      customresourcedefinitions: ownedAndRequired(customresourcedefinitions),
      apiservicedefinitions: ownedAndRequired(apiservicedefinitions),
      webhookdefinitions: apis(webhookdefinitions),
      nativeAPIs: apis(nativeAPIs),
    }),
    ...(object['status'] === undefined ? {} : { status: present({ phase, reason }) }),
  });
}

/** The labels of Operators that other namespaces keep than that of the object, or of its owner. */
function labelsOfOthers(object: KubernetesObject): readonly string[] {
  const { namespace, labels } = object.metadata;
  const own = [namespace, labels?.[OWNER_NAMESPACE]].filter((one) => one !== undefined);
  return componentLabelsOf(object).filter((label) => !own.some((one) => label.endsWith(`.${one}`)));
}

function withNames(object: KubernetesObject, annotations: readonly string[], rest: Fields): KubernetesObject {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, resourceVersion } = metadata;
  const kept = isMarkedCopy(object) ? LABELS : [...LABELS, ...labelsOfOthers(object)];
  const [labels, notes] = [only(metadata.labels ?? {}, kept), only(metadata.annotations ?? {}, annotations)];
  return {
    apiVersion,
    kind,
    metadata: {
      ...present({ name, namespace, resourceVersion }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(notes).length === 0 ? {} : { annotations: notes }),
    },
    ...rest,
  };
}

function ownedAndRequired(definitions: unknown): unknown {
  if (definitions === undefined) return undefined;
  const { owned, required } = asRecord(definitions);
  return present({ owned: apis(owned), required: apis(required) });
}

/** Projects a list of APIs. Any other value stays as it is: its reader refuses it. */
const apis = (list: unknown): unknown =>
  Array.isArray(list) ? list.map((api: unknown) => (isRecord(api) ? only(api, API_FIELDS) : api)) : list;

function only<T>(fields: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  const kept = names.flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name] as T] as const] : []));
  return Object.fromEntries(kept);
}

const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
