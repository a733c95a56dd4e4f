import type { InstallPlanCondition, InstallPlanStatus } from '../../../kernel/api/install-plan.js';
import { clipMessage } from '../../../kernel/conditions/clip-message.js';
import { kubernetesTime } from '../../../kernel/durations/kubernetes-time.js';

/** What a condition of type `Installed` says. */
type InstalledVerdict = Readonly<{ status: 'True' | 'False'; reason?: string; message?: string }>;

export const installedCondition = (status: InstallPlanStatus | undefined): InstallPlanCondition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Installed');

/**
 * The status with this verdict: the same object where nothing but times would change;
 * lastTransitionTime moves only with the condition's status, lastUpdateTime with every change. Spec:
 * install-plans.md §3, api-types.md §4.
 */
export function withInstalled(status: InstallPlanStatus, said: InstalledVerdict, now: string): InstallPlanStatus {
  const verdict = said.message === undefined ? said : { ...said, message: clipMessage(said.message) };
  const old = installedCondition(status);
  if (old !== undefined && sameVerdict(old, verdict)) return status;
  const time = kubernetesTime(now);
  const since = old?.status === verdict.status ? (old.lastTransitionTime ?? time) : time;
  const fresh: InstallPlanCondition = {
    type: 'Installed',
    ...verdict,
    lastUpdateTime: time,
    lastTransitionTime: since,
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'Installed');
  return { ...status, conditions: [...others, fresh] };
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
