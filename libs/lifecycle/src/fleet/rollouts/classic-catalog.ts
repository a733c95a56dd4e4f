import { catalogConflict, type DesiredClassic, specHash, subscriptionOver } from '#core/fleet/desired/desired-classic';
import { FLEET } from '#core/kernel/actions/field-managers';
import { CATALOG_SOURCE_API, CatalogSource } from '#core/kernel/api/catalog-source';
import { type AssignmentRow, MOST_DENIED } from '#core/kernel/api/fleet/fleet-assignment';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { UNSIGNED } from './applied-notes.js';
import { type ClassicSubject, desiredIn, installedFacts, plannedFacts } from './classic-subject.js';
import { CONFLICT, type OrderPlace, RESOLUTION_FAILED, type RowFinding, reportText } from './order-place.js';

type Facts = Omit<RowFinding, 'state'>;
/** Another content of the catalog that the fleet has for the subject; `facts`: what it would bring. */
export type CatalogMove = Readonly<{ desired: DesiredClassic; facts: Facts }>;

/** The CatalogSource of these objects as it is in the cluster. */
export async function liveCatalog(client: KubeClient, desired: DesiredClassic): Promise<CatalogSource | undefined> {
  if (desired.catalogSource === undefined) return undefined;
  const { name = '', namespace } = desired.catalogSource.metadata;
  return CatalogSource.safeParse(await client.get({ ...CATALOG_SOURCE_API, name, namespace })).data;
}

/**
 * What the cluster would do with the content that the FleetCatalog has by now; undefined where it has that
 * content already, or where its catalog is not the fleet's.
 */
export async function catalogMoveOf(place: OrderPlace, subject: ClassicSubject): Promise<CatalogMove | undefined> {
  const { operator, subscription } = subject;
  if (operator.spec.catalog.fleetCatalog === undefined || place.preview === undefined) return undefined;
  const desired = await desiredIn(place, operator);
  if (typeof desired === 'string' || desired.catalogSource === undefined) return undefined;
  const live = await liveCatalog(place.client, desired);
  if (live?.spec.image === desired.catalogSource.spec.image) return undefined;
  const installed = installedFacts(subject);
  const facts = (more: Facts): CatalogMove => ({ desired, facts: { ...installed, ...more } });
  const conflict = catalogConflict(live, desired);
  if (conflict !== undefined) return facts({ reason: CONFLICT, message: reportText(conflict) });
  const preview = await place.preview(desired);
  if ('conflict' in preview) return facts({ reason: CONFLICT, message: reportText(preview.conflict) });
  if ('fails' in preview) return facts({ reason: RESOLUTION_FAILED, message: reportText(preview.fails) });
  if ('waits' in preview) return facts({ message: reportText(preview.waits) });
  const { plan, moves, planned } = preview;
  const from = subscription.status?.installedCSV;
  const { name = '' } = subscription.metadata;
  const there = { plan, moves, subscription: name, planned, from, specHash: specHash(desired) };
  const made = plannedFacts(place, operator, there);
  const denied = [...(installed.denied ?? []), ...(made.denied ?? [])].slice(-MOST_DENIED);
  return facts({
    ...(desired.catalogDigest === undefined ? {} : { catalogDigest: desired.catalogDigest }),
    ...made,
    ...(denied.length === 0 ? {} : { denied }),
  });
}

/** Gives the cluster the content that leads to the plan that was reviewed. */
export async function moveCatalog(
  { client, notes = UNSIGNED }: OrderPlace,
  row: AssignmentRow,
  { subscription }: ClassicSubject,
  { desired, facts }: CatalogMove,
): Promise<RowFinding> {
  // It is previewed once more; nothing was written yet.
  if (facts.planHash === undefined && facts.reason === undefined) return { state: 'Running', hop: 1 };
  if (facts.planHash !== row.target?.planHash) return { state: 'Refused', reason: 'PlanChanged' };
  const { name = '', annotations } = subscription.metadata;
  const { apiVersion, kind, metadata, spec } = desired.subscription;
  const wanted = notes.noted(client.cluster, { apiVersion, kind, metadata: { ...metadata, name }, spec });
  const marks = { ...wanted.metadata.annotations };
  const { catalogSource } = desired;
  if (catalogSource !== undefined) {
    await client.apply(notes.noted(client.cluster, catalogSource), { fieldManager: FLEET });
  }
  const after = subscriptionOver(subscription, desired);
  const isSame = JSON.stringify(after.spec) === JSON.stringify(subscription.spec);
  const isMarked = Object.entries(marks).every(([key, value]) => annotations?.[key] === value);
  if (!isSame || !isMarked) await client.apply(wanted, { fieldManager: FLEET });
  return { state: 'Running', hop: 1 };
}
