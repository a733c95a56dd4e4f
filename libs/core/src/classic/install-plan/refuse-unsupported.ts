import type { InstallPlan, InstallPlanStep } from '../../kernel/api/install-plan.js';
import { definesProtectedApi, protectedApiText } from '../../kernel/crd/protected-apis.js';
import { INVALID_PLAN, SUPPORTED_STEP_KINDS } from './decide-step.js';
import { CRD_KIND } from './install-plan-step.js';
import { manifestOf } from './step-manifest.js';
import type { StepOutcome } from './step-world.js';

/**
 * The end of the steps that no plan may hold, whatever the cluster holds: kinds that cannot be installed,
 * and definitions of OLM's and Flotilla's own APIs; empty where there are none. OLM finds an unsupported
 * kind only when it reaches the step, with the CSV and more created before. Checked beforehand, nothing of
 * the plan is applied. The plan fails at once: waiting does not change what it holds. Spec:
 * install-plans.md §5 and "Surprises".
 */
export function refuseUnsupported({ status }: InstallPlan): ReadonlyMap<number, StepOutcome> {
  const outcomes = new Map<number, StepOutcome>();
  for (const [index, step] of (status?.plan ?? []).entries()) {
    const refusal = step === null ? undefined : refusalOf(step);
    if (refusal === undefined) continue;
    const error = `${refusal}. Nothing of it was applied`;
    outcomes.set(index, { status: 'UnsupportedResource', error, patienceMs: 0 });
  }
  return outcomes;
}

function refusalOf(step: InstallPlanStep): string | undefined {
  const { kind, name } = step.resource;
  if (!SUPPORTED_STEP_KINDS.includes(kind))
    return `${INVALID_PLAN}: bundle ${step.resolving} brings ${kind} "${name}", and objects of this kind cannot be installed by a plan`;
  if (kind !== CRD_KIND) return undefined;
  const manifest = manifestOf(step);
  if ('fail' in manifest || !definesProtectedApi(manifest.object)) return undefined;
  return `bundle ${step.resolving}: ${protectedApiText(name)}`;
}
