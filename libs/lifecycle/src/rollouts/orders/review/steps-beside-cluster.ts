import { referenceOf } from '#core/classic/install-plan/creation/bundle-reference';
import { isClusterScoped, manifestOf } from '#core/classic/install-plan/steps/step-manifest';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import type { InstallPlan, InstallPlanStep } from '#core/kernel/api/install-plan';
import type { SubscriptionMove } from '#core/rollout/review/hop-hash';
import type { ReviewedStep } from '#core/rollout/review/review-plan';
import { inParallel } from '#platform/fairness/in-parallel';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

const READS_AT_ONCE = 8;

/** The context of a plan's steps: their namespace, and the Subscriptions that the plan moves. */
type PlanPlace = Readonly<{ namespace: string; moves: readonly SubscriptionMove[]; written?: WrittenBefore }>;

/** Objects that earlier plans on a path write. */
export class WrittenBefore {
  readonly #objects = new Map<string, unknown>();

  add(steps: readonly InstallPlanStep[]): void {
    for (const step of steps) {
      const manifest = manifestOf(step);
      if (referenceOf(step) !== undefined || 'fail' in manifest) continue;
      this.#objects.set(`${step.resource.kind} ${step.resource.name}`, manifest.object);
    }
  }

  find(kind: string, name: string): unknown {
    return this.#objects.get(`${kind} ${name}`);
  }
}

/** The steps of a plan. */
export const stepsOf = ({ status }: InstallPlan): InstallPlanStep[] =>
  (status?.plan ?? []).filter((step) => step !== null);

/** Pairs each step with the object that it writes, as it is in the cluster. */
export const stepsBesideCluster = (
  client: KubeClient,
  steps: readonly InstallPlanStep[],
  place: PlanPlace,
): Promise<ReviewedStep[]> => inParallel([...steps], READS_AT_ONCE, (step) => besideLive(client, step, place));

async function besideLive(
  client: KubeClient,
  step: InstallPlanStep,
  { namespace, moves, written }: PlanPlace,
): Promise<ReviewedStep> {
  const { kind, name } = step.resource;
  const live = written?.find(kind, name) ?? (await liveOf(client, step, namespace));
  const from = moves.find(({ to }) => to === name)?.from ?? null;
  if (kind !== CSV_API.kind || from === null) return { step, live };
  const replaced = written?.find(kind, from) ?? (await client.get({ ...CSV_API, name: from, namespace }));
  return { step, live, replaced };
}

/** Returns the live object that a step writes. Also undefined if its kind is not served yet. */
async function liveOf(client: KubeClient, step: InstallPlanStep, namespace: string): Promise<unknown> {
  const manifest = manifestOf(step);
  if (referenceOf(step) !== undefined || 'fail' in manifest) return undefined;
  const { apiVersion, kind, metadata } = manifest.object;
  const where = isClusterScoped(kind) ? {} : { namespace };
  return client
    .get({ apiVersion, kind, name: metadata.name ?? step.resource.name, ...where })
    .catch((error: unknown) => {
      if (KubeApiError.is(error, 'NotFound')) return undefined;
      throw error;
    });
}
