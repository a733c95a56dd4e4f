import type { InstallPlan, InstallPlanStatus } from '../../../kernel/api/install-plan.js';
import { elapsedMs, kubernetesTime } from '../../../kernel/durations/kubernetes-time.js';
import { withInstalled, withMessage, withoutMessage } from '../plan/plan-conditions.js';
import { isDone } from '../steps/install-plan-step.js';
import type { StepOutcome } from '../steps/step-world.js';

/** OLM checks an unfinished plan every five seconds. */
const RETRY_AFTER_MS = 5_000;

/** The new status of an executed plan, and when to execute it again. */
export type ExecutionConclusion = Readonly<{ status: InstallPlanStatus; againAfterMs?: number }>;

type Execution = Readonly<{ now: string; retryTimeoutMs: number }>;

function afterError(status: InstallPlanStatus, outcome: StepOutcome, { now, retryTimeoutMs }: Execution) {
  const { error: message = '', forbidden, patienceMs = retryTimeoutMs } = outcome;
  const patient = forbidden === true || elapsedMs(status.startTime ?? now, now) < patienceMs;
  if (patient) {
    return { status: withMessage(status, `retrying execution due to error: ${message}`), againAfterMs: RETRY_AFTER_MS };
  }
  const verdict = { status: 'False', reason: 'InstallComponentFailed', message } as const;
  return { status: withInstalled({ ...withMessage(status, message), phase: 'Failed' }, verdict, now) };
}

/**
 * Returns the plan's status after one execution. `outcomes` are by index of the step; steps after the first
 * error have none. An error is retried until `retryTimeoutMs` after the first execution, and forever if it is
 * Forbidden. Spec: install-plans.md §3, §6.
 */
export function concludeExecution(
  plan: InstallPlan,
  outcomes: ReadonlyMap<number, StepOutcome>,
  execution: Execution,
): ExecutionConclusion {
  const before = plan.status ?? { phase: 'Installing', catalogSources: [] };
  const steps = (before.plan ?? []).map((step, index) => {
    const outcome = outcomes.get(index);
    return step === null || outcome === undefined ? step : { ...step, status: outcome.status };
  });
  const startTime = before.startTime ?? kubernetesTime(execution.now);
  const executed: InstallPlanStatus = { ...before, plan: steps, startTime };
  const failed = [...outcomes.values()].find(({ error }) => error !== undefined);
  if (failed !== undefined) return afterError(executed, failed, execution);
  const clean = withoutMessage(executed);
  if (steps.some((step) => step !== null && !isDone(step))) {
    const late = [...outcomes.values()].find(({ waitingFor }) => waitingFor !== undefined)?.waitingFor;
    if (late === undefined) return { status: clean, againAfterMs: API_WAIT_MS };
    return { status: withMessage(clean, late), againAfterMs: RETRY_AFTER_MS };
  }
  return { status: withInstalled({ ...clean, phase: 'Complete' }, { status: 'True' }, execution.now) };
}

/**
 * A new CRD is served after tens of milliseconds: waiting OLM's five seconds would be
 * most of an install's time.
 */
const API_WAIT_MS = 500;
