import type { Action } from '../../kernel/actions/action.js';
import { keepInStep } from '../../kernel/actions/keep-in-step.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import {
  clusterPermissions,
  csvName,
  csvNamespace,
  isCopied,
  permissions,
  strategyDeployments,
} from '../../kernel/api/csv-facts.js';
import { KIND, RBAC_GROUP } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { OPERATOR_CONDITION_API, type OperatorCondition } from '../../kernel/api/operator-condition.js';
import { MANAGED_LABEL, nonBlockingOwner } from '../../kernel/api/owner-labels.js';
import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { componentLabelsOf } from '../operators/component-label.js';

/** The input of a step: the condition named like the CSV, Roles and RoleBindings of the namespace. */
type OperatorConditionWorld = Readonly<{
  condition: OperatorCondition | undefined;
  roles: readonly KubernetesObject[];
  roleBindings: readonly KubernetesObject[];
}>;

/**
 * The actions and the new status. After the actions the shell must PUT `object` with that status to the
 * status subresource.
 */
type OperatorConditionStep = Readonly<{ actions: readonly Action[]; status?: OperatorCondition['status'] }>;

/**
 * Keeps the OperatorCondition of a CSV: the object itself, the operator's right to write it, and
 * the copy of the operator's conditions in its status. A new object gets its Role in the next pass,
 * when its uid is known (§8).
 */
export function stepOperatorCondition(
  csv: ClusterServiceVersion,
  { condition, roles, roleBindings }: OperatorConditionWorld,
): OperatorConditionStep {
  if (isCopied(csv) || csv.metadata.deletionTimestamp !== undefined) return { actions: [] };
  const generated = keepInStep(condition, wantedCondition(csv, condition));
  if (condition === undefined || generated.length > 0) return { actions: generated };
  const named = (list: readonly KubernetesObject[]) => list.find(({ metadata }) => metadata.name === csvName(csv));
  const status = copied(condition);
  return {
    actions: [
      ...keepInStep(named(roles), accessRole(condition)),
      ...keepInStep(named(roleBindings), accessBinding(condition)),
    ],
    ...(status === undefined ? {} : { status }),
  };
}

const serviceAccountNames = (csv: ClusterServiceVersion): string[] => {
  const names = [...clusterPermissions(csv), ...permissions(csv)].map(({ serviceAccountName }) => serviceAccountName);
  return names.length === 0 ? ['default'] : names;
};

/** Overrides and conditions belong to people and to the operator: they stay. */
function wantedCondition(csv: ClusterServiceVersion, live: OperatorCondition | undefined): KubernetesObject {
  return {
    ...OPERATOR_CONDITION_API,
    metadata: {
      name: csvName(csv),
      namespace: csvNamespace(csv),
      ...(live === undefined ? componentLabels(csv) : {}),
      ownerReferences: [{ ...nonBlockingOwner(csv), controller: true }],
    },
    spec: {
      ...live?.spec,
      serviceAccounts: serviceAccountNames(csv),
      deployments: strategyDeployments(csv).map(({ name }) => name),
    },
  };
}

/** A new object is a part of its CSV's operator at once (decision 0163). */
function componentLabels(csv: ClusterServiceVersion) {
  const labels = componentLabelsOf(csv).map((label) => [label, ''] as const);
  return labels.length === 0 ? {} : { labels: Object.fromEntries(labels) };
}

/** Metadata of the Role and the RoleBinding, both named like the condition and owned by it. */
const accessMetadata = ({ metadata }: OperatorCondition) => ({
  name: metadata.name ?? '',
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  labels: { [MANAGED_LABEL]: 'true' },
  ownerReferences: [
    {
      ...OPERATOR_CONDITION_API,
      name: metadata.name ?? '',
      uid: metadata.uid ?? '',
      controller: true,
      blockOwnerDeletion: false,
    },
  ],
});

const accessRole = (condition: OperatorCondition): KubernetesObject => ({
  ...KIND.Role,
  metadata: accessMetadata(condition),
  rules: [
    {
      verbs: ['get', 'update', 'patch'],
      apiGroups: ['operators.coreos.com'],
      resources: ['operatorconditions'],
      resourceNames: [condition.metadata.name ?? ''],
    },
  ],
});

const accessBinding = (condition: OperatorCondition): KubernetesObject => ({
  ...KIND.RoleBinding,
  metadata: accessMetadata(condition),
  subjects: (condition.spec?.serviceAccounts ?? []).map((name) => ({ kind: 'ServiceAccount', name })),
  roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: condition.metadata.name ?? '' },
});

/** The operator's conditions, as of the current generation; undefined when the status has them already. */
function copied(condition: OperatorCondition): OperatorCondition['status'] | undefined {
  const said = condition.spec?.conditions ?? [];
  const observedGeneration = condition.metadata.generation ?? 0;
  const old = condition.status?.conditions ?? [];
  const fresh = said.map((one) => ({ ...one, observedGeneration }));
  const kept = old.filter(({ type }) => !said.some((one) => one.type === type));
  const conditions = [...kept, ...fresh];
  const known = new Set(old.map((one) => canonicalJson(one)));
  if (fresh.every((one) => known.has(canonicalJson(one)))) return undefined;
  return { ...condition.status, conditions };
}
