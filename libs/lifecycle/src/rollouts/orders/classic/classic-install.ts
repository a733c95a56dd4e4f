import { FLEET } from '#core/kernel/actions/field-managers';
import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { CONFLICT, RESOLUTION_FAILED } from '#core/rollout/controller/facts/report-reasons';
import { catalogConflict, type DesiredClassic, specHash } from '#core/rollout/desired/desired-classic';
import type { ClassicPreview } from '../../previews/classic-preview.js';
import type { OrderCluster, PlanningPlace } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { adoptGroup } from './adopted-group.js';
import { liveCatalog } from './classic-catalog.js';
import { desiredIn, plannedFacts } from './classic-subject.js';

/**
 * Installs a subject without an operator in the cluster. It is previewed without a write, until its turn
 * comes. Then its objects are created, if they still lead to the plan that was reviewed.
 */
export async function installFirst(
  place: PlanningPlace,
  row: AssignmentRow,
  operator: FleetOperator,
): Promise<RowFinding> {
  const { hub, cluster, previews } = place;
  const { namespace, package: wanted } = operator.spec;
  const desired = await desiredIn(hub, operator, cluster.globalCatalogNamespace);
  const notThere = `no Subscription of package ${wanted} is in namespace ${namespace}`;
  if (typeof desired === 'string') return { state: 'Planning', message: desired };
  if (previews.preview === undefined) return { state: 'Planning', message: notThere };
  const inTheWay = catalogConflict(await liveCatalog(cluster.client, desired), desired);
  const preview: ClassicPreview = inTheWay === undefined ? await previews.preview(desired) : { conflict: inTheWay };
  if ('conflict' in preview) return { state: 'Planning', reason: CONFLICT, message: reportText(preview.conflict) };
  if ('fails' in preview) {
    return { state: 'Planning', reason: RESOLUTION_FAILED, message: reportText(preview.fails) };
  }
  if ('waits' in preview) previews.noteWait?.();
  if ('waits' in preview || 'nothing' in preview) return notYet(row, preview);
  const { hops, desired: made, deprecations } = preview;
  const asks = { subscription: wanted, asked: made.subscription.spec, specHash: specHash(made), deprecations };
  const found = {
    ...(desired.catalogDigest === undefined ? {} : { catalogDigest: desired.catalogDigest }),
    ...plannedFacts(place, { operator, denied: [] }, { hops, ...asks }),
  };
  if (row.order !== 'Go') return { state: 'Planned', ...found };
  if (found.planHash !== row.target?.planHash) return { ...found, state: 'Refused', reason: 'PlanChanged' };
  if (!(await adoptGroup(cluster, made))) return { ...found, state: 'Refused', reason: 'PlanChanged' };
  await makeObjects(cluster, made);
  return { state: 'Running', hop: 1, ...found };
}

const notYet = ({ order }: AssignmentRow, found: Readonly<{ waits: string } | { nothing: string }>): RowFinding => ({
  state: order === 'Go' ? 'Running' : 'Planning',
  message: reportText('waits' in found ? found.waits : found.nothing),
});

/** Creates namespace, catalog, group and Subscription. The Subscription starts the install, so it is last. */
async function makeObjects({ client, notes }: OrderCluster, desired: DesiredClassic): Promise<void> {
  const { namespace, operatorGroup, subscription, catalogSource } = desired;
  const catalog = desired.isStaged ? undefined : catalogSource;
  const noted: readonly (KubernetesObject | undefined)[] = [catalog, operatorGroup, subscription];
  await client.apply(namespace, { fieldManager: FLEET });
  for (const object of noted) {
    if (object !== undefined) await client.apply(notes.noted(client.cluster, object), { fieldManager: FLEET });
  }
}
