import { referenceOf } from '#core/classic/install-plan/creation/bundle-reference';
import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { CHANGES, type ChangeKind } from '#core/kernel/api/fleet/fleet-strategy';
import type { InstallPlan, InstallPlanStep } from '#core/kernel/api/install-plan';
import { contentChanges } from '#core/rollout/review/content-changes';
import { pathContent } from '#core/rollout/review/path-content';
import { planContent } from '#core/rollout/review/plan-content';
import type { ReviewedStep } from '#core/rollout/review/review-plan';
import { differencesOf, widerHash } from '#core/rollout/review/shown-differences';
import { fleetPlanNameOf } from '../../assignments/fleet-plan-name.js';
import { endOf, type PlannedHop, type PlannedThere } from '../../previews/planned-there.js';
import { OrderMemo } from '../place/order-memo.js';
import type { OrderPlace, OrderPreviews } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { bringsRegistry, objectsOf, stepsBesideRevision, withImages } from './extension-review.js';
import { keepOnce } from './kept-plan.js';
import { stepsBesideCluster, stepsOf, WrittenBefore } from './steps-beside-cluster.js';

/**
 * Keeps the changes of a plan class of a rollout, for reviewers. The first cluster of the class creates the
 * FleetPlan, and never changes it. A cluster with a plan that changes more than that is in a class of its
 * own, with a FleetPlan of its own (decision 0517). Returns the finding with the hash that names it.
 */
export async function withDifferences(
  place: OrderPlace,
  row: AssignmentRow,
  operator: FleetOperator,
  finding: RowFinding,
  planned: PlannedThere | undefined,
): Promise<RowFinding> {
  const kept = fleetPlanNameOf(row, finding);
  const { planHash } = finding;
  if (kept === undefined || planHash === undefined || planned === undefined) return finding;
  const key = `${kept.namespace}/${kept.name}`;
  const known = place.memo.differences.get(key);
  if (known !== undefined) return known === '' ? finding : { ...finding, differences: known };
  const content = await reviewedContent(place, operator, finding, planned);
  // A bundle is being fetched: another pass keeps the plan.
  if (content === undefined) {
    place.previews.noteWait?.();
    return finding;
  }
  const shown = await keepOnce(place, kept, async () => content);
  const differences = widerHash(planHash, differencesOf(content), shown ?? []);
  remember(place.memo.differences, key, differences ?? '');
  if (differences === undefined) return finding;
  const wider = { ...finding, differences };
  const own = fleetPlanNameOf(row, wider);
  if (own !== undefined) await keepOnce(place, own, async () => content);
  return wider;
}

/** Forgets the changes of an order's plan in the cluster, so that they are read again. */
export function forgetPlan({ contentChanges, differences }: OrderMemo, { target }: AssignmentRow): void {
  contentChanges.delete(target?.planHash ?? '');
  differences.clear();
}

/** The cluster with the objects that a plan changes, and the manifests that the plan refers to. */
type ReviewPlace = Pick<OrderPlace, 'cluster' | 'previews'>;

async function reviewedContent(
  place: ReviewPlace,
  operator: FleetOperator,
  finding: RowFinding,
  planned: PlannedThere,
): Promise<FleetPlan['spec'] | undefined> {
  const hops = await reviewedHops(place, operator, planned);
  if (hops === undefined) return undefined;
  const [first, ...others] = hops;
  const { lines = [], deprecations = [] } = planned;
  const spec = pathContent([
    contentOf(planned, finding, first, 0, { lines, deprecations }),
    ...others.map((hop, at) => contentOf(planned, finding, hop, at + 1)),
  ]);
  return withImages(spec, first.steps, planned.earlier);
}

const contentOf = (
  { subscription }: PlannedThere,
  { hops = [], planHash = '', changes = [] }: RowFinding,
  { plan, moves, from, to, reviewed }: ReviewedHop,
  at: number,
  more: Pick<PlannedThere, 'lines' | 'deprecations'> = {},
): FleetPlan['spec'] =>
  planContent({
    ...{ hash: planHash, hopHash: hops[at] ?? planHash, subscription, from, to, changes, moves },
    ...{ bundles: plan.spec.clusterServiceVersionNames, steps: reviewed },
    ...more,
  });

/** Plans of a cluster that are remembered; one that comes again is read again. */
const MOST_REMEMBERED = 100;

/**
 * Returns a finding with the kinds of change that only the content of its plan shows. While a bundle is being
 * fetched nothing is planned: a class with unknown changes would pass its approval rules.
 */
export async function withContentChanges(
  place: Omit<OrderPlace, 'hub'>,
  operator: FleetOperator,
  finding: RowFinding,
  planned: PlannedThere | undefined,
): Promise<RowFinding> {
  const { planHash, changes = [] } = finding;
  if (planHash === undefined || planned === undefined) return finding;
  const known = place.memo.contentChanges.get(planHash) ?? (await readChanges(place, operator, planned));
  if (known === undefined) {
    place.previews.noteWait?.();
    const message = `the changes of ${endOf(planned)} are not known yet: its bundle is being fetched`;
    return finding.state === 'Planned' ? { ...withoutPlan(finding), state: 'Planning', message } : finding;
  }
  remember(place.memo.contentChanges, planHash, known);
  return { ...finding, changes: CHANGES.filter((kind) => changes.includes(kind) || known.includes(kind)) };
}

/** Returns the finding without a plan: then no rollout begins. */
export const withoutPlan = ({
  planned: _planned,
  planHash: _hash,
  hops: _hops,
  changes: _changes,
  differences: _differences,
  ...rest
}: RowFinding): RowFinding => rest;

async function readChanges(
  place: ReviewPlace,
  operator: FleetOperator,
  planned: PlannedThere,
): Promise<ChangeKind[] | undefined> {
  const { earlier } = planned;
  const hops = await reviewedHops(place, operator, planned);
  if (hops === undefined) return undefined;
  const found = hops.flatMap(({ reviewed, from }) => contentChanges(reviewed, from === undefined));
  const [{ from, steps }] = hops;
  const isNew = earlier !== undefined && from !== undefined && bringsRegistry(objectsOf(steps), earlier);
  return isNew ? [...found, 'NewRegistry'] : found;
}

/** A hop with its steps, and each of them next to the cluster's state at that time. */
type ReviewedHop = PlannedHop & Readonly<{ steps: readonly InstallPlanStep[]; reviewed: readonly ReviewedStep[] }>;

/** Returns every hop next to the writes of the hops before. Undefined while a bundle is being fetched. */
async function reviewedHops(
  { cluster: { client }, previews }: ReviewPlace,
  { spec: { namespace } }: FleetOperator,
  { hops, earlier }: PlannedThere,
): Promise<readonly [ReviewedHop, ...ReviewedHop[]] | undefined> {
  const [first, ...others] = hops;
  const written = new WrittenBefore();
  const review = async (hop: PlannedHop): Promise<ReviewedHop | undefined> => {
    const steps = await resolvedSteps(previews, hop.plan);
    if (steps === undefined) return undefined;
    const { moves } = hop;
    const reviewed = await (earlier === undefined
      ? stepsBesideCluster(client, steps, { namespace, moves, written })
      : stepsBesideRevision(client, steps, earlier));
    written.add(steps);
    return { ...hop, steps, reviewed };
  };
  const begun = await review(first);
  if (begun === undefined) return undefined;
  const further: ReviewedHop[] = [];
  for (const hop of others) {
    const one = await review(hop);
    if (one === undefined) return undefined;
    further.push(one);
  }
  return [begun, ...further];
}

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  if (known.has(key)) return;
  const [oldest] = known.keys();
  if (known.size >= MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
  known.set(key, value);
}

/**
 * Returns the steps with the manifests that the plan only refers to. Undefined while these are being fetched.
 * A manifest that is not available stays a reference, and the review says so.
 */
async function resolvedSteps(
  { fetchObjects }: OrderPreviews,
  plan: InstallPlan,
): Promise<InstallPlanStep[] | undefined> {
  const steps: InstallPlanStep[] = [];
  for (const step of stepsOf(plan)) {
    const reference = referenceOf(step);
    const found = reference === undefined ? undefined : await fetchObjects?.(reference, plan);
    if (found !== undefined && 'waits' in found) return undefined;
    const { kind, name } = step.resource;
    const objects = found !== undefined && 'objects' in found ? found.objects : [];
    const object = objects.find((one) => one.kind === kind && one.metadata.name === name);
    const manifest = object && JSON.stringify(object);
    steps.push(manifest === undefined ? step : { ...step, resource: { ...step.resource, manifest } });
  }
  return steps;
}
