import type { InstallPlan } from '../api/install-plan.js';
import { INVALID_PLAN, SUPPORTED_STEP_KINDS } from './decide-step.js';
import type { StepOutcome } from './step-world.js';

/**
 * The end of the steps whose kind no plan may hold; empty where all kinds are known. OLM finds out when it comes to such a
 * step, with the CSV and more created before; looked at beforehand, nothing of the plan is applied. The plan fails at
 * once: waiting does not change what it holds. Spec: install-plans.md §5 and "Surprises".
 */
export function refuseUnsupported({ status }: InstallPlan): ReadonlyMap<number, StepOutcome> {
  const outcomes = new Map<number, StepOutcome>();
  for (const [index, step] of (status?.plan ?? []).entries()) {
    if (step === null || SUPPORTED_STEP_KINDS.includes(step.resource.kind)) continue;
    const { kind, name } = step.resource;
    const error = `${INVALID_PLAN}: bundle ${step.resolving} brings ${kind} "${name}", and objects of this kind cannot be installed by a plan. Nothing of it was applied`;
    outcomes.set(index, { status: 'UnsupportedResource', error, patienceMs: 0 });
  }
  return outcomes;
}
