import type { Action } from '../../kernel/actions/action.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { isCopied, namesApis, providedApis } from '../../kernel/api/csv-facts.js';
import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { refOf } from '../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { servedKey } from '../../kernel/api/served-key.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { kubernetesTime } from '../../kernel/durations/kubernetes-time.js';
import { annotateGroup } from './annotate-group.js';
import { groupClusterRoles } from './group-cluster-roles.js';
import {
  EMPTY_SELECTOR_CONDITION,
  EMPTY_SELECTOR_MESSAGE,
  groupConditions,
  missingServiceAccount,
} from './group-conditions.js';
import { groupName, isStatic } from './group-facts.js';
import type { OperatorGroupStatus, OperatorGroupStep, OperatorGroupWorld } from './group-world.js';
import { labelTargets } from './namespace-labels.js';
import { annotatedApis, apisText } from './provided-apis.js';
import { selectTargets } from './select-targets.js';

/**
 * One pass over one OperatorGroup: service account, target namespaces and their labels,
 * ClusterRoles, the pruning of `olm.providedAPIs` (spec: operator-groups.md §1, §2, §4, §5).
 * Annotating members is part of their own step.
 */
export function stepOperatorGroup(group: OperatorGroup, world: OperatorGroupWorld): OperatorGroupStep {
  if (group.metadata.deletionTimestamp !== undefined) return { actions: [], afterwards: [] };
  const absent = missingServiceAccount(group, world);
  if (absent !== undefined) {
    return { ...written(group, world, undefined), problem: `failed to get service account, sa=${absent}` };
  }
  const selected = selectTargets(group, world.namespaces);
  if ('problem' in selected) return { ...written(group, world, undefined), problem: selected.problem };
  const members = world.csvs.filter((csv) => !isCopied(csv));
  const provided = new Set(members.filter(namesApis).flatMap((csv) => providedApis(csv).map(servedKey)));
  const step = written(group, world, selected.targets);
  return {
    ...step,
    actions: [...claimServiceAccount(world.serviceAccount), ...labelTargets(group, selected.targets, world.namespaces)],
    afterwards: [
      ...step.afterwards,
      ...groupClusterRoles(group, provided.union(annotatedApis(group)), world.clusterRoles),
      // The status write above has used up the resourceVersion: pruning waits for the next pass.
      ...(step.status === undefined ? prune(group, members, provided) : []),
    ],
  };
}

/** Writes the status, if it differs, and a warning. Without `targets` the namespaces stay unchanged. */
function written(group: OperatorGroup, world: OperatorGroupWorld, targets?: readonly string[]): OperatorGroupStep {
  const { namespaces: oldNamespaces, serviceAccountRef: oldRef, conditions: _old, ...rest } = group.status ?? {};
  const namespaces = targets === undefined ? oldNamespaces : [...targets];
  const serviceAccountRef = group.spec?.serviceAccountName ? referenceOf(world.serviceAccount, oldRef) : undefined;
  const conditions = groupConditions(group, world);
  const content = {
    ...rest,
    ...(sameSet(namespaces, oldNamespaces) ? withNamespaces(oldNamespaces) : withNamespaces(namespaces)),
    ...(serviceAccountRef === undefined ? {} : { serviceAccountRef }),
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
  };
  const nothing = { actions: [], afterwards: [] };
  if (sameJson(content, comparable(group.status)) && group.status?.lastUpdated) return nothing;
  const status: OperatorGroupStatus = { ...content, lastUpdated: kubernetesTime(world.now) };
  return { ...nothing, status, afterwards: emptySelectorEvent(group, status) };
}

const withNamespaces = (namespaces: string[] | undefined) => (namespaces === undefined ? {} : { namespaces });

/** An empty list is dropped by the API server's Go types: it reads back as none. */
function comparable(status: OperatorGroup['status']): object {
  const { conditions, ...rest } = status ?? {};
  return conditions === undefined || conditions.length === 0 ? rest : { ...rest, conditions };
}

const sameSet = (one: readonly string[] = [], other: readonly string[] = []): boolean =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;

/**
 * The account's reference; an old one to the same object is kept, so that its
 * resourceVersion causes no writes.
 */
function referenceOf(
  account: KubernetesObject | undefined,
  old: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> | undefined {
  if (account === undefined) return undefined;
  const { name, namespace, uid } = account.metadata;
  if (old !== undefined && old['uid'] === uid && old['name'] === name) return { ...old };
  return { ...KIND.ServiceAccount, name, namespace, uid };
}

/** Sets `olm.managed` on the account, so that its changes are observed (§2). */
function claimServiceAccount(account: KubernetesObject | undefined): readonly Action[] {
  if (account === undefined || account.metadata.labels?.['olm.managed'] === 'true') return [];
  const { name, namespace } = refOf(account);
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels: { 'olm.managed': 'true' } };
  return [{ do: 'apply', object: { ...KIND.ServiceAccount, metadata } }];
}

/** Emits a warning, once, when a selector turns out to be empty. */
function emptySelectorEvent(group: OperatorGroup, status: OperatorGroupStatus): readonly Action[] {
  const has = (conditions: OperatorGroupStatus['conditions']) =>
    (conditions ?? []).some(({ type }) => type === EMPTY_SELECTOR_CONDITION);
  if (!has(status.conditions) || has(group.status?.conditions)) return [];
  return [
    {
      do: 'emitEvent',
      about: { ...refOf(group), uid: group.metadata.uid },
      type: 'Warning',
      reason: EMPTY_SELECTOR_CONDITION,
      message: `OperatorGroup ${groupName(group)}: ${EMPTY_SELECTOR_MESSAGE}`,
    },
  ];
}

/**
 * Removes the APIs that no member provides from `olm.providedAPIs`. Waits while a young member's APIs are
 * about to be added: the two writers would undo each other's work (§4, group sync).
 */
function prune(
  group: OperatorGroup,
  members: readonly ClusterServiceVersion[],
  provided: ReadonlySet<string>,
): readonly Action[] {
  const annotated = annotatedApis(group);
  if (isStatic(group) || annotated.isSubsetOf(provided)) return [];
  const pending = members.some(
    (csv) =>
      csv.metadata.deletionTimestamp === undefined &&
      ['', 'Pending'].includes(csv.status?.phase ?? '') &&
      providedApis(csv).some((api) => !annotated.has(servedKey(api))),
  );
  return pending ? [] : [annotateGroup(group, apisText(annotated.intersection(provided)))];
}
