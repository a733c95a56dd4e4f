import type { InstallPlan, InstallPlanStatus } from '../../../kernel/api/install-plan.js';
import { KIND } from '../../../kernel/api/kinds.js';
import type { KubernetesObject, ObjectRef } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import { SUBSCRIPTION_API } from '../../../kernel/api/subscription.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';
import { changedAfter, managedRights } from '../../../kernel/rbac/rights-changed.js';
import { MIGRATE_ANNOTATION, STORED_VERSION_REFUSED } from '../../crd-upgrade/stored-versions.js';
import { installedCondition, withInstalled, withoutMessage } from '../plan/plan-conditions.js';

/**
 * The verdict on the namespace's groups: `ok` if there is one to install under, with the service account that
 * it lends (none: Flotilla's own rights).
 */
export type GroupVerdict =
  | Readonly<{ ok: true; serviceAccount?: ObjectRef & { kind: 'ServiceAccount' } }>
  | Readonly<{ ok: false; message: string }>;

/** The verdict on the OperatorGroups of the plan's namespace, in OLM's words (spec: install-plans.md §3). */
export function operatorGroupVerdict(groups: readonly OperatorGroup[]): GroupVerdict {
  const active = groups.filter(({ status }) => (status?.namespaces ?? []).length > 0);
  const [group] = active;
  if (group === undefined) return { ok: false, message: 'no operator group found that is managing this namespace' };
  if (active.length > 1) {
    return { ok: false, message: `more than one operator group(s) are managing this namespace count=${active.length}` };
  }
  const name = group.spec?.serviceAccountName ?? '';
  if (name === '') return { ok: true };
  const namespace = group.metadata.namespace ?? '';
  if (group.status?.serviceAccountRef === undefined) {
    const where = `${namespace}/${group.metadata.name ?? ''}`;
    return { ok: false, message: `please make sure the service account exists. sa=${name} operatorgroup=${where}` };
  }
  return { ok: true, serviceAccount: { ...KIND.ServiceAccount, name, namespace } };
}

/** The next action for a plan, decided before any of its steps. */
export type PlanTurn =
  /** Write this status, then check the plan again at once. */
  | Readonly<{ turn: 'write'; status: InstallPlanStatus }>
  /** Execute the unfinished steps; then {@link concludeExecution}. */
  | Readonly<{ turn: 'execute'; actingAs?: ObjectRef }>
  /**
   * Nothing to do until something changes. If `status` is given, it is written first; `retry` asks for a
   * retry with growing pauses.
   */
  | Readonly<{ turn: 'rest'; because: string; status?: InstallPlanStatus; retry?: true }>;

/** The message on a plan that a user wrote by hand: OLM would ignore the plan in silence. */
const HAND_MADE_PLAN =
  'this InstallPlan has no steps and never will: plans come from Subscriptions. ' +
  'Delete it, create a Subscription for the package, and approve its plan';

/** Plans in other phases are finished, or are still being made. */
const isOpen = (phase: string): boolean => phase === 'RequiresApproval' || phase === 'Installing';

/**
 * Decides the next action for a plan. Each turn changes the status once, so that watchers see the same phases
 * as under OLM. Spec: install-plans.md §3; decision on user-made plans.
 */
export function nextTurn(plan: InstallPlan, groups: readonly OperatorGroup[], now: string): PlanTurn {
  const { status } = plan;
  if (status === undefined || (status.plan ?? []).length === 0) return turnWithoutSteps(plan, now);
  if (!isOpen(status.phase)) return { turn: 'rest', because: status.phase === '' ? 'no phase' : status.phase };
  const verdict = operatorGroupVerdict(groups);
  if (!verdict.ok) return checkFailed(status, verdict.message, now);
  const checked = recovered(status, verdict, now);
  if (checked !== status) return { turn: 'write', status: checked };
  return approvalTurn(plan, status, verdict);
}

function turnWithoutSteps(plan: InstallPlan, now: string): PlanTurn {
  const bySubscription = (plan.metadata.ownerReferences ?? []).some(({ kind }) => kind === SUBSCRIPTION_API.kind);
  if (bySubscription) return { turn: 'rest', because: 'its steps are not written yet' };
  if ((plan.status?.bundleLookups ?? []).length > 0)
    return { turn: 'rest', because: 'its bundles are unpacked by another' };
  const before: InstallPlanStatus = plan.status ?? { phase: '', catalogSources: [] };
  const status = withInstalled(before, { status: 'False', reason: 'PlanUnknown', message: HAND_MADE_PLAN }, now);
  return { turn: 'rest', because: 'made by hand', ...(status === before ? {} : { status }) };
}

function checkFailed(before: InstallPlanStatus, message: string, now: string): PlanTurn {
  const status = withInstalled(before, { status: 'False', reason: 'InstallCheckFailed', message }, now);
  return { turn: 'rest', because: message, retry: true, ...(status === before ? {} : { status }) };
}

/**
 * Returns the status after a recovered check: the condition loses its reason first, then the group's service
 * account is kept with the plan.
 */
function recovered(status: InstallPlanStatus, verdict: GroupVerdict & { ok: true }, now: string): InstallPlanStatus {
  if (installedCondition(status)?.reason === 'InstallCheckFailed') {
    return withInstalled(status, { status: 'False', reason: 'Unknown' }, now);
  }
  const { serviceAccount } = verdict;
  if (serviceAccount === undefined) return status; // a reference stored earlier is not cleared: so does OLM
  const stored = canonicalJson(status.attenuatedServiceAccountRef ?? {});
  if (stored === canonicalJson(serviceAccount)) return status;
  return { ...status, attenuatedServiceAccountRef: { ...serviceAccount } };
}

function approvalTurn(plan: InstallPlan, status: InstallPlanStatus, verdict: GroupVerdict & { ok: true }): PlanTurn {
  if (status.phase === 'Installing') {
    return { turn: 'execute', ...(verdict.serviceAccount === undefined ? {} : { actingAs: verdict.serviceAccount }) };
  }
  const approved = approvalTransition(plan);
  return approved === undefined ? { turn: 'rest', because: 'RequiresApproval' } : { turn: 'write', status: approved };
}

/**
 * Returns the status of a plan that was approved just now. Undefined if approval changes nothing (spec:
 * install-plans.md §3).
 */
export function approvalTransition({ spec, status }: InstallPlan): InstallPlanStatus | undefined {
  if (status?.phase !== 'RequiresApproval' || !spec.approved) return undefined;
  return { ...withoutMessage(status), phase: 'Installing' };
}

/**
 * Returns the status that retries a plan from the start, if it was refused because of stored versions and its
 * group now allows them to be dropped. Undefined for every other plan. A plan that is refused for a further
 * reason has a message beyond OLM's words, and so stays unchanged.
 */
export function revivedByOptIn(
  { status }: InstallPlan,
  groups: readonly OperatorGroup[],
): InstallPlanStatus | undefined {
  if (status?.phase !== 'Failed' || !(status.message ?? '').endsWith(STORED_VERSION_REFUSED)) return undefined;
  if (!groups.some(migratesStoredVersions)) return undefined;
  const { startTime: _ofTheFirstTry, ...rest } = status;
  return { ...withoutMessage(rest), phase: 'Installing' };
}

/** True if the group asks for stored objects to be rewritten (see {@link MIGRATE_ANNOTATION}). */
export const migratesStoredVersions = ({ metadata }: OperatorGroup): boolean =>
  metadata.annotations?.[MIGRATE_ANNOTATION] === 'true';

/**
 * Returns the status that retries a failed plan with a service account. The cause is a Role, RoleBinding or
 * ServiceAccount of its namespace (`rights`) that changed after the failure, or a group that now names
 * another account or none. Undefined for every other plan. startTime stays. Spec: install-plans.md §6.
 */
export function revivedByRights(
  { status }: InstallPlan,
  rights: readonly KubernetesObject[],
  groups: readonly OperatorGroup[],
): InstallPlanStatus | undefined {
  if (status?.phase !== 'Failed' || status.attenuatedServiceAccountRef === undefined) return undefined;
  const { attenuatedServiceAccountRef: failedAs, ...rest } = status;
  const verdict = operatorGroupVerdict(groups);
  if (verdict.ok && verdict.serviceAccount?.name !== failedAs['name']) {
    const account = verdict.serviceAccount && { attenuatedServiceAccountRef: { ...verdict.serviceAccount } };
    return { ...rest, ...account, phase: 'Installing' };
  }
  if (!changedAfter(installedCondition(status)?.lastTransitionTime, managedRights(rights))) return undefined;
  return { ...status, phase: 'Installing' };
}
