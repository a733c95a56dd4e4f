import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion, CsvCondition, CsvStatus } from '../../../kernel/api/cluster-service-version.js';
import { refOf } from '../../../kernel/api/kubernetes-object.js';
import { clipMessage } from '../../../kernel/conditions/clip-message.js';
import { kubernetesTime } from '../../../kernel/durations/kubernetes-time.js';

/** Phases of a ClusterServiceVersion (spec: api-types.md §5); `` is a CSV that no pass has seen yet. */
export type CsvPhase =
  | ''
  | 'Pending'
  | 'InstallReady'
  | 'Installing'
  | 'Succeeded'
  | 'Failed'
  | 'Replacing'
  | 'Deleting';

/** Phase of a CSV, with its reason and message. */
export type PhaseVerdict = Readonly<{ phase: CsvPhase; reason: string; message: string }>;

/** History entries kept in status.conditions; the oldest are dropped (spec: api-types.md §5). */
export const MAX_CSV_CONDITIONS = 20;

/**
 * Returns the status after `verdict`. The top level is always overwritten. A history entry is added only when
 * phase or reason differ from the last one. lastTransitionTime changes only when the phase does. Equal phase,
 * reason and message give back the same object (spec: api-types.md §5, csv-lifecycle.md §1).
 */
export function withPhase(status: CsvStatus | undefined, verdict: PhaseVerdict, now: Date): CsvStatus {
  const old = status ?? {};
  const { phase, reason } = verdict;
  const message = clipMessage(verdict.message);
  if (old.phase === phase && old.reason === reason && old.message === message) return old;
  const time = kubernetesTime(now);
  const lastTransitionTime = old.phase === phase ? (old.lastTransitionTime ?? time) : time;
  const history = old.conditions ?? [];
  const last = history.at(-1);
  const entry: CsvCondition = { phase, reason, message, lastUpdateTime: time, lastTransitionTime };
  const recorded = last?.phase === phase && last.reason === reason;
  const conditions = (recorded ? history : [...history, entry]).slice(-MAX_CSV_CONDITIONS);
  return { ...old, phase, reason, message, lastUpdateTime: time, lastTransitionTime, conditions };
}

/** The Event of a phase change: reason and message of the verdict, a Warning when it is a failure (§1). */
export const phaseEvent = (csv: ClusterServiceVersion, { phase, reason, message }: PhaseVerdict): Action => ({
  do: 'emitEvent',
  about: { ...refOf(csv), uid: csv.metadata.uid },
  type: phase === 'Failed' ? 'Warning' : 'Normal',
  reason,
  message,
});
