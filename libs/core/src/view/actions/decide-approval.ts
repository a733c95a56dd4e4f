import { decidedByFleet, deciderOfPlan, type OrderedPackage } from '../../cluster/diagnosis/fleet-work.js';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { hopHash, type SubscriptionMove } from '../../rollout/review/hop-hash.js';
import type { ActionEnd, ConsoleAction } from './console-action.js';

/**
 * Annotations of an InstallPlan that the console has approved: the approver, the time, the content, and the
 * reason.
 */
export const APPROVAL_ANNOTATIONS = {
  /** Annotation of an InstallPlan that was approved in the console: the approver. */
  by: 'flotilla.dev/approved-by',
  /** Annotation of an InstallPlan that was approved in the console: the time. */
  at: 'flotilla.dev/approved-at',
  /** Annotation of an InstallPlan that was approved in the console: the hash of the reviewed content. */
  plan: 'flotilla.dev/approved-plan',
  /** Annotation of an InstallPlan that was approved in the console: the reason. */
  comment: 'flotilla.dev/approval-comment',
} as const;

/** Facts that are read from the cluster before a plan is approved. */
type ApprovalFacts = Readonly<{
  plan: InstallPlan | undefined;
  /** All of its namespace. */
  subscriptions: readonly Subscription[];
  moves: readonly SubscriptionMove[];
  globalCatalogNamespace: string;
  /** Packages of the namespace with orders of the fleet for the cluster. */
  ordered?: readonly OrderedPackage[];
}>;

/** The merge patch that approves exactly the plan that was read, or why it is not approved. */
type ApprovalDecision = Readonly<{ patch: Readonly<Record<string, unknown>> } | { end: ActionEnd }>;

const changed = (message: string): ApprovalDecision => ({ end: { outcome: 'changed-meanwhile', message } });

/**
 * Approves a plan only if it is unchanged since the review. The plan must wait for approval, and no rollout
 * of the fleet may decide about it. Its Subscriptions must still refer to it, and its hash must be that of
 * the review.
 */
export function decideApproval(facts: ApprovalFacts, action: Omit<ConsoleAction, 'targets'>): ApprovalDecision {
  const { plan, moves, globalCatalogNamespace } = facts;
  const { planHash, by, at, comment } = action;
  if (plan === undefined) return changed('the InstallPlan no longer exists');
  const { annotations = {}, resourceVersion } = plan.metadata;
  const phase = plan.status?.phase ?? '';
  if (plan.spec.approved) {
    const who = annotations[APPROVAL_ANNOTATIONS.by];
    return changed(`the InstallPlan is approved already${who === undefined ? '' : `, by ${who}`}`);
  }
  if (phase !== 'RequiresApproval')
    return changed(`the InstallPlan does not wait for approval: phase ${phase || 'not set'}`);
  const decider = deciderOfPlan(plan, facts.subscriptions, facts.ordered);
  if (decider !== undefined) return { end: { outcome: 'refused', message: decidedByFleet(decider) } };
  const successor = successorOf(plan, facts.subscriptions);
  if (successor !== undefined)
    return changed(`the InstallPlan is out of date: its Subscription refers to ${successor}`);
  const hash = hopHash(plan, moves, globalCatalogNamespace);
  if (planHash === undefined || hash !== planHash)
    return changed('the content of the InstallPlan changed since the review: review it again');
  const marks = {
    [APPROVAL_ANNOTATIONS.by]: by,
    [APPROVAL_ANNOTATIONS.at]: at,
    [APPROVAL_ANNOTATIONS.plan]: hash,
    ...(comment === undefined ? {} : { [APPROVAL_ANNOTATIONS.comment]: oneLine(comment) }),
  };
  return { patch: { metadata: { resourceVersion, annotations: marks }, spec: { approved: true } } };
}

/** Returns the plan that the Subscriptions of this one refer to, if it is another one. */
function successorOf({ metadata, spec }: InstallPlan, subscriptions: readonly Subscription[]): string | undefined {
  const own = subscriptions.filter(({ status }) => spec.clusterServiceVersionNames.includes(status?.currentCSV ?? ''));
  const referred = own.flatMap(({ status }) => status?.installPlanRef?.name ?? []);
  return referred.includes(metadata.name ?? '') ? undefined : referred[0];
}

/** Removes characters that end a line or move the cursor of a terminal. */
export const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').trim();
