import type { InstallPlanStep } from '../../kernel/api/install-plan.js';
import { CRD_KIND, CSV_KIND } from './install-plan-step.js';

const rank = ({ resource }: InstallPlanStep): number => {
  if (resource.kind === CSV_KIND) return 0;
  return resource.kind === CRD_KIND ? 1 : 2;
};

/** All CSVs, then all CRDs, then the rest; inside each the given order stays (spec: install-plans.md §2). */
export const orderSteps = (steps: readonly InstallPlanStep[]): InstallPlanStep[] =>
  steps.toSorted((a, b) => rank(a) - rank(b));
