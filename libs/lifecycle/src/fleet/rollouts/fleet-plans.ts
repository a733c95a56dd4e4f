import { referenceOf } from '#core/classic/install-plan/bundle-reference';
import { planContent } from '#core/fleet/plan-class/plan-content';
import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { InstallPlan, InstallPlanStep } from '#core/kernel/api/install-plan';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import type { PlannedThere } from './classic-subject.js';
import { classOf } from './live-cluster.js';
import type { OrderPlace, RowFinding } from './order-place.js';
import { stepsBesideCluster, stepsOf } from './steps-beside-cluster.js';

const FLEET_PLAN = { apiVersion: FLEET_API, kind: 'FleetPlan' } as const;

/**
 * Keeps what a plan class of a roll-out changes, for those who review it: the first cluster in which the
 * class is found makes the FleetPlan, and never changes it. Returns once there is one, or later is to be
 * tried again.
 */
export async function keepPlan(
  place: OrderPlace,
  row: AssignmentRow,
  operator: FleetOperator,
  finding: RowFinding,
  planned: PlannedThere | undefined,
): Promise<void> {
  const { hub, client } = place;
  const isReviewed = row.order === 'Preview' || row.order === 'Go';
  if (!isReviewed || row.rollout === undefined || finding.planHash === undefined || planned === undefined) return;
  // A roll-out of another target has its own classes.
  if (row.target?.bundle !== finding.planned) return;
  const [namespace, rollout = ''] = row.rollout.split('/');
  const name = `${rollout}-${classOf(finding)}`;
  const key = `${namespace}/${name}`;
  if (place.keptPlans?.has(key) === true) return;
  if ((await hub.get({ ...FLEET_PLAN, name, namespace })) === undefined) {
    const steps = await resolvedSteps(place, planned.plan);
    // The bundle is being fetched: another pass keeps the plan.
    if (steps === undefined) return;
    const { plan, moves, planned: to, from } = planned;
    const spec = planContent({
      ...{ hash: finding.planHash, hopHash: finding.hops?.[0] ?? '', from, to, moves },
      changes: finding.changes ?? [],
      subscription: planned.subscription,
      bundles: plan.spec.clusterServiceVersionNames,
      steps: await stepsBesideCluster(client, steps, { namespace: operator.spec.namespace, moves }),
    });
    try {
      await hub.create({ ...FLEET_PLAN, metadata: { name, namespace }, spec });
    } catch (error) {
      // Another cluster of the class was first.
      if (!KubeApiError.is(error, 'AlreadyExists')) throw error;
    }
  }
  place.keptPlans?.add(key);
}

/**
 * The steps with the manifests that the plan only refers to; undefined while these are being fetched. What
 * cannot be had stays a reference, and the review says so.
 */
async function resolvedSteps({ bundleObjects }: OrderPlace, plan: InstallPlan): Promise<InstallPlanStep[] | undefined> {
  const steps: InstallPlanStep[] = [];
  for (const step of stepsOf(plan)) {
    const reference = referenceOf(step);
    const found = reference === undefined ? undefined : await bundleObjects?.(reference, plan);
    if (found !== undefined && 'waits' in found) return undefined;
    const { kind, name } = step.resource;
    const objects = found !== undefined && 'objects' in found ? found.objects : [];
    const object = objects.find((one) => one.kind === kind && one.metadata.name === name);
    const manifest = object && JSON.stringify(object);
    steps.push(manifest === undefined ? step : { ...step, resource: { ...step.resource, manifest } });
  }
  return steps;
}
