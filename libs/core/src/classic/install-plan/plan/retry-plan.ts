import type { InstallPlan, InstallPlanStatus } from '../../../kernel/api/install-plan.js';
import type { Subscription } from '../../../kernel/api/subscription.js';
import { sameJson } from '../../../kernel/canonical/same-json.js';
import { elapsedMs } from '../../../kernel/durations/kubernetes-time.js';
import { isDone } from '../steps/install-plan-step.js';
import { installedCondition, withInstalled, withMessage, withoutMessage } from './plan-conditions.js';

/**
 * Flotilla's annotation of an InstallPlan: lets a failed plan run again. `true` executes the steps that are
 * left. `replan` rolls back the parts that never ran and resolves the namespace again. The plan's successor
 * is then made from the present content of the catalogs. The applier removes the annotation once it has acted
 * on it.
 */
export const RETRY_ANNOTATION = 'flotilla.dev/retry';

export type RetryMode = 'steps' | 'replan';

/** Returns the mode that the annotation asks for. Undefined if it is absent, or has another value. */
export function requestedRetry({ metadata }: Pick<InstallPlan, 'metadata'>): RetryMode | undefined {
  const value = metadata.annotations?.[RETRY_ANNOTATION];
  if (value === 'true') return 'steps';
  return value === 'replan' ? 'replan' : undefined;
}

/** Value of {@link RETRY_ANNOTATION} for each mode. */
export const retryAnnotation = (mode: RetryMode): string => (mode === 'steps' ? 'true' : 'replan');

/** The reason a failed plan runs again, as the reason of its condition. */
type RetryReason = 'RetryRequested' | 'CauseGone';

const TEXTS: Readonly<Record<RetryReason, string>> = {
  RetryRequested: 'the plan failed and is executed again: a user requested it',
  CauseGone: 'the plan failed and is executed again: the step that stopped it can be done now',
};

/**
 * Returns the status of a failed plan that is executed again: the steps that are done stay done, and the
 * retry time restarts.
 */
export function retriedStatus(status: InstallPlanStatus, reason: RetryReason, now: string): InstallPlanStatus {
  const { startTime: _ofTheFailedTry, ...rest } = withoutMessage(status);
  return withInstalled({ ...rest, phase: 'Installing' }, { status: 'False', reason, message: TEXTS[reason] }, now);
}

/**
 * The status of a failed plan that was checked again: it names the present cause. Its times stay those of the
 * failure, so that the pauses grow on. The same object if it is named already.
 */
export function stillFailedStatus(status: InstallPlanStatus, cause: string): InstallPlanStatus {
  const { message = '' } = withMessage(status, cause);
  const conditions = (status.conditions ?? []).map((one) => (one.type === 'Installed' ? { ...one, message } : one));
  const isNamed = status.message === message && sameJson(conditions, status.conditions ?? []);
  return isNamed ? status : { ...status, message, conditions };
}

const SHORTEST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/**
 * `due`: the step that stopped the plan may be checked now; `againAfterMs`: when the
 * check after this one is due.
 */
export type FailedPlanCheck = Readonly<{ due: boolean; againAfterMs: number }>;

/**
 * Decides when the step that stopped a failed plan is checked again: after a quarter of the time since the
 * failure, between five seconds and five minutes. Undefined for a plan that is never checked: one that did
 * not fail, that no Subscription refers to any more, or that holds a kind no plan may hold.
 */
export function checkOfFailedPlan(
  { metadata, status }: InstallPlan,
  subscriptions: readonly Subscription[],
  now: string,
): FailedPlanCheck | undefined {
  if (status?.phase !== 'Failed') return undefined;
  if (!subscriptions.some((one) => one.status?.installPlanRef?.name === metadata.name)) return undefined;
  const left = (status.plan ?? []).filter((step) => step !== null && !isDone(step));
  if (left.length === 0 || left.some((step) => step?.status === 'UnsupportedResource')) return undefined;
  const elapsed = elapsedMs(installedCondition(status)?.lastUpdateTime ?? now, now);
  const againAfterMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, elapsed / 4));
  return { due: elapsed >= SHORTEST_PAUSE_MS, againAfterMs };
}
