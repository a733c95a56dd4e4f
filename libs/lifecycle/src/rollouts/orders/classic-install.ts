import { FLEET } from '#core/kernel/actions/field-managers';
import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { CONFLICT, RESOLUTION_FAILED } from '#core/rollout/controller/facts/report-reasons';
import { catalogConflict, type DesiredClassic, specHash } from '#core/rollout/desired/desired-classic';
import { UNSIGNED } from '../assignments/applied-notes.js';
import { type OrderPlace, type RowFinding, reportText } from '../assignments/order-place.js';
import type { ClassicPreview } from '../previews/classic-preview.js';
import { adoptGroup } from './adopted-group.js';
import { liveCatalog } from './classic-catalog.js';
import { desiredIn, plannedFacts } from './classic-subject.js';

/**
 * A subject whose operator is not in the cluster: previewed without a write, until its turn comes. Then its
 * objects are made, if they still lead to the plan that was reviewed.
 */
export async function installFirst(
  place: OrderPlace,
  row: AssignmentRow,
  operator: FleetOperator,
): Promise<RowFinding> {
  const { namespace, package: wanted } = operator.spec;
  const desired = await desiredIn(place, operator);
  const notThere = `no Subscription of package ${wanted} is in namespace ${namespace}`;
  if (typeof desired === 'string') return { state: 'Planning', message: desired };
  if (place.preview === undefined) return { state: 'Planning', message: notThere };
  const inTheWay = catalogConflict(await liveCatalog(place.client, desired), desired);
  const preview: ClassicPreview = inTheWay === undefined ? await place.preview(desired) : { conflict: inTheWay };
  if ('conflict' in preview) return { state: 'Planning', reason: CONFLICT, message: reportText(preview.conflict) };
  if ('fails' in preview) {
    return { state: 'Planning', reason: RESOLUTION_FAILED, message: reportText(preview.fails) };
  }
  if ('waits' in preview) place.noteWait?.();
  if ('waits' in preview || 'nothing' in preview) return notYet(row, preview);
  const { hops, desired: made, deprecations } = preview;
  const asks = { subscription: wanted, asked: made.subscription.spec, specHash: specHash(made), deprecations };
  const found = {
    ...(desired.catalogDigest === undefined ? {} : { catalogDigest: desired.catalogDigest }),
    ...plannedFacts(place, { operator, denied: [] }, { hops, ...asks }),
  };
  if (row.order !== 'Go') return { state: 'Planned', ...found };
  if (found.planHash !== row.target?.planHash) return { ...found, state: 'Refused', reason: 'PlanChanged' };
  if (!(await adoptGroup(place, made))) return { ...found, state: 'Refused', reason: 'PlanChanged' };
  await makeObjects(place, made);
  return { state: 'Running', hop: 1, ...found };
}

const notYet = ({ order }: AssignmentRow, found: Readonly<{ waits: string } | { nothing: string }>): RowFinding => ({
  state: order === 'Go' ? 'Running' : 'Planning',
  message: reportText('waits' in found ? found.waits : found.nothing),
});

/** Namespace, catalog, group and Subscription, in this order: without the last one nothing happens. */
async function makeObjects({ client, notes = UNSIGNED }: OrderPlace, desired: DesiredClassic): Promise<void> {
  const { namespace, operatorGroup, subscription, catalogSource } = desired;
  const catalog = desired.isStaged ? undefined : catalogSource;
  const noted: readonly (KubernetesObject | undefined)[] = [catalog, operatorGroup, subscription];
  await client.apply(namespace, { fieldManager: FLEET });
  for (const object of noted) {
    if (object !== undefined) await client.apply(notes.noted(client.cluster, object), { fieldManager: FLEET });
  }
}
