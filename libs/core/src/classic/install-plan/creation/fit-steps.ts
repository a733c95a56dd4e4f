import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { CSV_KIND } from '../steps/install-plan-step.js';
import { BundleNotInstallable } from './bundle-steps.js';

/**
 * Bytes of steps and lookups that a plan may hold: etcd takes 1.5 MiB in one request by default; the plan's
 * other fields and the server's own notes need some of it.
 */
export const MAX_PLAN_BYTES = 1_400_000;

/** A manifest is text inside JSON text: its quotes count twice. */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * Fits the steps into a plan. A plan that fits is left unchanged. Otherwise references replace the largest
 * manifests, and CSVs last of all because people and tools read those. `byReference` returns undefined if a
 * step can only be held as it is. `lookups` are held next to the steps. Throws {@link BundleNotInstallable}
 * if the plan is still too large.
 */
export function fitSteps(
  steps: readonly InstallPlanStep[],
  byReference: (step: InstallPlanStep) => InstallPlanStep | undefined,
  lookups: readonly unknown[] = [],
): InstallPlanStep[] {
  const fitted = [...steps];
  const sizes = steps.map(bytesOf);
  let total = sizes.reduce((sum, size) => sum + size, bytesOf(lookups));
  const rank = (index: number) => (steps[index]?.resource.kind === CSV_KIND ? 1 : 0);
  const largestFirst = [...steps.keys()].toSorted(
    (a, b) => rank(a) - rank(b) || (sizes[b] ?? 0) - (sizes[a] ?? 0) || a - b,
  );
  for (const index of largestFirst) {
    if (total <= MAX_PLAN_BYTES) return fitted;
    const shorter = steps[index] && byReference(steps[index]);
    const saved = shorter === undefined ? 0 : (sizes[index] ?? 0) - bytesOf(shorter);
    if (shorter === undefined || saved <= 0) continue;
    fitted[index] = shorter;
    total -= saved;
  }
  if (total <= MAX_PLAN_BYTES) return fitted;
  const names = steps.filter(({ resource }) => resource.kind === CSV_KIND).map(({ resource }) => resource.name);
  throw new BundleNotInstallable(
    `the ${steps.length} steps of ${names.join(', ')} need ${total} bytes even if they only refer to their bundles; ` +
      `an InstallPlan has room for ${MAX_PLAN_BYTES}: install fewer operators at once`,
  );
}
