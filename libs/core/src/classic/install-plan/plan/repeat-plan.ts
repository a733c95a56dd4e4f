import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { csvName, isCopied } from '../../../kernel/api/csv-facts.js';
import type { InstallPlan, InstallPlanStatus, InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { joinApiVersion, type KubernetesObject, type ObjectRef } from '../../../kernel/api/kubernetes-object.js';
import { sameJson } from '../../../kernel/canonical/same-json.js';
import { CSV_KIND, isDone, kindOfStep, SUBSCRIPTION_KIND } from '../steps/install-plan-step.js';
import { isClusterScoped, manifestOf } from '../steps/step-manifest.js';
import { withInstalled, withoutMessage } from './plan-conditions.js';

/** A step of a complete plan, with the object that it made. */
export type DoneStep = Readonly<{ index: number; step: InstallPlanStep; ref: ObjectRef }>;

/** Phases of versions that are being removed. Their steps are not repeated. */
const LEAVING: ReadonlySet<string> = new Set(['Replacing', 'Deleting']);

/**
 * Returns the steps of a complete plan that may be executed again: steps of a ClusterServiceVersion that
 * exists and stays. Leaves out ClusterServiceVersions and Subscriptions: only a new plan restores them.
 */
export function repeatableSteps(
  { metadata, status }: InstallPlan,
  csvs: readonly ClusterServiceVersion[],
): readonly DoneStep[] {
  if (status?.phase !== 'Complete') return [];
  const there = new Set(csvs.filter(stays).map(csvName));
  return (status.plan ?? []).flatMap((step, index) => {
    if (step === null || !isDone(step) || !there.has(step.resolving)) return [];
    if (step.resource.kind === CSV_KIND || step.resource.kind === SUBSCRIPTION_KIND) return [];
    const { group, version, kind } = kindOfStep(step);
    const where = isClusterScoped(kind) ? {} : { namespace: metadata.namespace };
    return [
      { index, step, ref: { apiVersion: joinApiVersion(group, version), kind, name: step.resource.name, ...where } },
    ];
  });
}

const stays = (csv: ClusterServiceVersion): boolean =>
  !isCopied(csv) && csv.metadata.deletionTimestamp === undefined && !LEAVING.has(csv.status?.phase ?? '');

/** The part of an object that gives rights. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  Role: ['rules'],
  ClusterRole: ['rules'],
  RoleBinding: ['subjects', 'roleRef'],
  ClusterRoleBinding: ['subjects', 'roleRef'],
};

/** True if the object of the step is gone, or gives other rights than the plan gave. */
export function isUndone({ step }: DoneStep, live: KubernetesObject | undefined): boolean {
  if (live === undefined) return true;
  const manifest = manifestOf(step);
  if ('fail' in manifest) return false;
  return (RIGHTS[live.kind] ?? []).some((field) => !sameJson(manifest.object[field] ?? null, live[field] ?? null));
}

const TEXT = 'objects of the plan are gone, or grant other rights, and are recreated: a user requested it';

/** Returns the status of a complete plan when these steps are executed again. */
export function repeatedStatus(status: InstallPlanStatus, undone: readonly DoneStep[], now: string): InstallPlanStatus {
  const { startTime: _ofTheFirst, ...rest } = withoutMessage(status);
  const again = new Set(undone.map(({ index }) => index));
  const plan = (rest.plan ?? []).map((step, index) =>
    step !== null && again.has(index) ? { ...step, status: 'Unknown' } : step,
  );
  return withInstalled(
    { ...rest, plan, phase: 'Installing' },
    { status: 'False', reason: 'RetryRequested', message: TEXT },
    now,
  );
}
