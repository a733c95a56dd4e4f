import { referenceOf } from '#core/classic/install-plan/bundle-reference';
import { contentChanges } from '#core/fleet/plan-class/content-changes';
import { planContent } from '#core/fleet/plan-class/plan-content';
import type { ReviewedStep } from '#core/fleet/plan-review/review-plan';
import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { CHANGES, type ChangeKind } from '#core/kernel/api/fleet/fleet-strategy';
import type { InstallPlan, InstallPlanStep } from '#core/kernel/api/install-plan';
import { bringsRegistry, objectsOf, stepsBesideRevision, withImages } from './extension-review.js';
import { fleetPlanNameOf, keepOnce } from './kept-plan.js';
import type { OrderPlace, RowFinding } from './order-place.js';
import type { PlannedThere } from './planned-there.js';
import { stepsBesideCluster, stepsOf } from './steps-beside-cluster.js';

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
  const kept = fleetPlanNameOf(row, finding);
  if (kept === undefined || planned === undefined) return;
  await keepOnce(place, kept, async () => {
    const steps = await resolvedSteps(place, planned.plan);
    // The bundle is being fetched: another pass keeps the plan.
    if (steps === undefined) return undefined;
    const { plan, moves, planned: to, from } = planned;
    const spec = planContent({
      ...{ hash: finding.planHash ?? '', hopHash: hopOf(finding), from, to, moves },
      lines: planned.lines,
      deprecations: planned.deprecations,
      changes: finding.changes ?? [],
      subscription: planned.subscription,
      bundles: plan.spec.clusterServiceVersionNames,
      steps: await besideCluster(place, operator, steps, planned),
    });
    return withImages(spec, steps, planned.earlier);
  });
}

/** Of a plan that moves no version: its own hash. */
const hopOf = ({ hops = [], planHash = '' }: RowFinding): string => hops[0] ?? planHash;

/** So many plans of a cluster are remembered; one that comes again is read again. */
const MOST_REMEMBERED = 100;

/**
 * A finding with the kinds of change that only the content of its plan shows. While a bundle is being fetched
 * nothing is planned: a class whose changes are not known would pass its approval rules.
 */
export async function withContentChanges(
  place: OrderPlace,
  operator: FleetOperator,
  finding: RowFinding,
  planned: PlannedThere | undefined,
): Promise<RowFinding> {
  const { planHash, changes = [] } = finding;
  if (planHash === undefined || planned === undefined) return finding;
  const known = place.contentChanges?.get(planHash) ?? (await readChanges(place, operator, planned));
  if (known === undefined) {
    place.noteWait?.();
    const message = `what ${planned.planned} changes is not known yet: its bundle is being fetched`;
    return finding.state === 'Planned' ? { ...withoutPlan(finding), state: 'Planning', message } : finding;
  }
  remember(place.contentChanges, planHash, known);
  return { ...finding, changes: CHANGES.filter((kind) => changes.includes(kind) || known.includes(kind)) };
}

/** Without a plan no roll-out begins. */
export const withoutPlan = ({
  planned: _planned,
  planHash: _hash,
  hops: _hops,
  changes: _changes,
  ...rest
}: RowFinding): RowFinding => rest;

async function readChanges(
  place: OrderPlace,
  operator: FleetOperator,
  planned: PlannedThere,
): Promise<ChangeKind[] | undefined> {
  const { plan, from, earlier } = planned;
  const steps = await resolvedSteps(place, plan);
  if (steps === undefined) return undefined;
  const found = contentChanges(await besideCluster(place, operator, steps, planned), from === undefined);
  const isNew = earlier !== undefined && from !== undefined && bringsRegistry(objectsOf(steps), earlier);
  return isNew ? [...found, 'NewRegistry'] : found;
}

/** Each step beside what the cluster has for it. */
const besideCluster = (
  { client }: OrderPlace,
  { spec: { namespace } }: FleetOperator,
  steps: readonly InstallPlanStep[],
  { moves, earlier }: PlannedThere,
): Promise<ReviewedStep[]> =>
  earlier === undefined
    ? stepsBesideCluster(client, steps, { namespace, moves })
    : stepsBesideRevision(client, steps, earlier);

function remember(known: OrderPlace['contentChanges'], planHash: string, changes: readonly ChangeKind[]): void {
  if (known === undefined || known.has(planHash)) return;
  const [oldest] = known.keys();
  if (known.size >= MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
  known.set(planHash, changes);
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
