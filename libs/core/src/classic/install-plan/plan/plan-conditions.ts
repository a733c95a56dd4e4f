import type { InstallPlanCondition, InstallPlanStatus } from '../../../kernel/api/install-plan.js';
import { clipMessage } from '../../../kernel/conditions/clip-message.js';
import { conditionOf, removeConditions, transitioned } from '../../../kernel/conditions/condition-list.js';
import { kubernetesTime } from '../../../kernel/durations/kubernetes-time.js';

/** The one condition of an InstallPlan. */
export const INSTALLED = 'Installed';

/** Content of that condition. */
type InstalledVerdict = Readonly<{ status: 'True' | 'False'; reason?: string; message?: string }>;

export const installedCondition = (status: InstallPlanStatus | undefined): InstallPlanCondition | undefined =>
  conditionOf(status?.conditions, INSTALLED);

/**
 * Returns the status with this verdict. Returns the same object if only times would change.
 * lastTransitionTime moves only with the condition's status, lastUpdateTime with every change. Spec:
 * install-plans.md §3, api-types.md §4.
 */
export function withInstalled(status: InstallPlanStatus, said: InstalledVerdict, now: string): InstallPlanStatus {
  const verdict = said.message === undefined ? said : { ...said, message: clipMessage(said.message) };
  const old = installedCondition(status);
  if (old !== undefined && sameVerdict(old, verdict)) return status;
  const time = kubernetesTime(now);
  const fresh = transitioned({ type: INSTALLED, ...verdict, lastUpdateTime: time }, status.conditions, time);
  return { ...status, conditions: [...removeConditions(status.conditions ?? [], [INSTALLED]), fresh] };
}

const sameVerdict = (old: InstallPlanCondition, { status, reason = '', message = '' }: InstalledVerdict): boolean =>
  old.status === status && (old.reason ?? '') === reason && (old.message ?? '') === message;

/** The status with this message. */
export const withMessage = (status: InstallPlanStatus, message: string): InstallPlanStatus => ({
  ...status,
  message: clipMessage(message),
});

/** The status without its message. */
export function withoutMessage({ message: _cleared, ...status }: InstallPlanStatus): InstallPlanStatus {
  return status;
}
