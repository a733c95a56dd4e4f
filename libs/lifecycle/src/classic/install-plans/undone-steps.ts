import { type DoneStep, isUndone, repeatableSteps } from '#core/classic/install-plan/plan/repeat-plan';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';

/** A plan may have hundreds of steps. */
const AT_A_TIME = 10;

type Read = (ref: ObjectRef) => Promise<KubernetesObject | undefined>;

/**
 * Returns the steps of a complete plan with objects that are gone, or that give other rights than the plan
 * gave.
 */
export async function undoneSteps(
  plan: InstallPlan,
  csvs: readonly ClusterServiceVersion[],
  get: Read,
): Promise<readonly DoneStep[]> {
  const steps = repeatableSteps(plan, csvs);
  const undone: DoneStep[] = [];
  for (let from = 0; from < steps.length; from += AT_A_TIME) {
    const some = steps.slice(from, from + AT_A_TIME);
    const found = await Promise.all(some.map(({ ref }) => get(ref)));
    undone.push(...some.filter((step, index) => isUndone(step, withKind(step, found[index]))));
  }
  return undone;
}

const withKind = ({ ref: { apiVersion, kind } }: DoneStep, live: KubernetesObject | undefined) =>
  live && { ...live, apiVersion, kind };
