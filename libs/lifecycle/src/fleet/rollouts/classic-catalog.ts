import { catalogConflict, type DesiredClassic, specHash, subscriptionOver } from '#core/fleet/desired/desired-classic';
import { FLEET } from '#core/kernel/actions/field-managers';
import { CATALOG_SOURCE_API, CatalogSource } from '#core/kernel/api/catalog-source';
import { type AssignmentRow, MOST_DENIED } from '#core/kernel/api/fleet/fleet-assignment';
import { CHANGES } from '#core/kernel/api/fleet/fleet-strategy';
import { INSTALL_PLAN_API, type InstallPlan } from '#core/kernel/api/install-plan';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { adoptGroup } from './adopted-group.js';
import { UNSIGNED } from './applied-notes.js';
import { type ClassicSubject, factsOf, hashesOf, installedFacts, plannedFacts } from './classic-subject.js';
import {
  type ClassicPreview,
  CONFLICT,
  type OrderPlace,
  RESOLUTION_FAILED,
  type RowFinding,
  reportText,
} from './order-place.js';

type Facts = Omit<RowFinding, 'state'>;
/**
 * Other objects than the cluster has for the subject, such as other content of its catalog or another
 * channel. `facts`: what they would bring; `isUndecided`: that is not known yet.
 */
export type CatalogMove = Readonly<{ desired: DesiredClassic; facts: Facts; isUndecided: boolean }>;

/** The CatalogSource of these objects as it is in the cluster. */
export async function liveCatalog(client: KubeClient, desired: DesiredClassic): Promise<CatalogSource | undefined> {
  if (desired.catalogSource === undefined) return undefined;
  const { name = '', namespace } = desired.catalogSource.metadata;
  return CatalogSource.safeParse(await client.get({ ...CATALOG_SOURCE_API, name, namespace })).data;
}

/**
 * What the cluster would do with the objects that the fleet wants there; undefined where it has them already,
 * or where they are not the fleet's to change.
 */
export async function catalogMoveOf(
  place: OrderPlace,
  subject: ClassicSubject,
  order: AssignmentRow['order'],
): Promise<CatalogMove | undefined> {
  const { desired, changes } = subject;
  if (desired === undefined) return undefined;
  const live = await liveCatalog(place.client, desired);
  const isOther = desired.catalogSource !== undefined && live?.spec.image !== desired.catalogSource.spec.image;
  const hasNewContent = isOther && (!desired.isStaged || looksAhead(place, subject, order));
  const kinds = changes?.kinds ?? [];
  if (hasNewContent || changes?.isResolvedAnew === true) return resolvedMove(place, subject, desired, live);
  const facts = kinds.length === 0 ? undefined : withoutResolving(place, subject, desired);
  return facts && { desired, facts, isUndecided: false };
}

/**
 * Content of a Staged FleetCatalog that the cluster does not have yet is planned with where what it has
 * brings nothing: the roll-out waits for it there (design: fleet.md §1.2).
 */
const looksAhead = (place: OrderPlace, subject: ClassicSubject, order: AssignmentRow['order']): boolean =>
  order !== 'Go' && factsOf(subject, place).planHash === undefined;

/** The plan that waits in the cluster stays as it is, or there is none. */
function withoutResolving(place: OrderPlace, subject: ClassicSubject, desired: DesiredClassic): Facts | undefined {
  const facts = factsOf(subject, place);
  return facts.planHash === undefined ? specFacts(place, subject, desired) : withKinds(facts, subject);
}

const withKinds = (facts: Facts, { changes }: ClassicSubject): Facts => ({
  ...facts,
  changes: CHANGES.filter((kind) => facts.changes?.includes(kind) || changes?.kinds.includes(kind)),
});

/** What is installed stays; other objects alone would be written. */
function specFacts(
  { notePlan }: OrderPlace,
  subject: ClassicSubject,
  desired: DesiredClassic,
  deprecations?: readonly string[],
): Facts | undefined {
  const { subscription, changes } = subject;
  const installed = subscription.status?.installedCSV;
  if (installed === undefined || changes === undefined || changes.kinds.length === 0) return undefined;
  const { name = '', namespace } = subscription.metadata;
  const made = specHash(desired);
  const hashes = hashesOf([], made);
  const spec = { approval: 'Manual', approved: false, clusterServiceVersionNames: [] };
  const plan: InstallPlan = { ...INSTALL_PLAN_API, metadata: { name: '', namespace }, spec };
  const asks = { subscription: name, asked: desired.subscription.spec, specHash: made, deprecations };
  const there = { plan, moves: [], planned: installed, from: installed, ...asks };
  notePlan?.(hashes.planHash ?? '', { ...there, lines: changes.lines });
  return { ...installedFacts(subject), planned: installed, ...hashes, changes: [...changes.kinds] };
}

async function resolvedMove(
  place: OrderPlace,
  subject: ClassicSubject,
  desired: DesiredClassic,
  live: CatalogSource | undefined,
): Promise<CatalogMove | undefined> {
  if (place.preview === undefined) return undefined;
  const installed = installedFacts(subject);
  const move = (more: Facts, isUndecided = false): CatalogMove => ({
    ...{ desired, isUndecided },
    facts: { ...installed, ...more },
  });
  const conflict = catalogConflict(live, desired);
  if (conflict !== undefined) return move({ reason: CONFLICT, message: reportText(conflict) });
  const preview = await place.preview(desired);
  if ('conflict' in preview) return move({ reason: CONFLICT, message: reportText(preview.conflict) });
  if ('fails' in preview) return move({ reason: RESOLUTION_FAILED, message: reportText(preview.fails) });
  if ('waits' in preview) {
    place.noteWait?.();
    return move({ message: reportText(preview.waits) }, true);
  }
  if ('nothing' in preview) {
    const { nothing, deprecations } = preview;
    return move(specFacts(place, subject, desired, deprecations) ?? { message: reportText(nothing) });
  }
  return move(previewFacts(place, subject, desired, preview));
}

/** What the plan of a preview would bring. */
function previewFacts(
  place: OrderPlace,
  subject: ClassicSubject,
  desired: DesiredClassic,
  { plan, moves, planned, deprecations }: Extract<ClassicPreview, { plan: unknown }>,
): Facts {
  const { operator, subscription, changes, denied: marks } = subject;
  const from = subscription.status?.installedCSV;
  const { name = '' } = subscription.metadata;
  const asks = { subscription: name, asked: desired.subscription.spec, specHash: specHash(desired), deprecations };
  const there = { plan, moves, planned, from, ...asks };
  const made = plannedFacts(place, operator, { ...there, lines: changes?.lines ?? [] });
  const before = marks.map(({ bundle, scope }) => ({ bundle, scope }));
  const denied = [...before, ...(made.denied ?? [])].slice(-MOST_DENIED);
  return {
    ...(desired.catalogDigest === undefined ? {} : { catalogDigest: desired.catalogDigest }),
    ...(made.planHash === undefined ? made : withKinds(made, subject)),
    ...(denied.length === 0 ? {} : { denied }),
  };
}

/** Gives the cluster the content that leads to the plan that was reviewed. */
export async function moveCatalog(
  place: OrderPlace,
  row: AssignmentRow,
  { subscription }: ClassicSubject,
  { desired, facts }: CatalogMove,
): Promise<RowFinding> {
  // It is previewed once more; nothing was written yet.
  if (facts.planHash === undefined && facts.reason === undefined) return { state: 'Running', hop: 1 };
  if (facts.planHash !== row.target?.planHash) return { state: 'Refused', reason: 'PlanChanged' };
  if (!(await adoptGroup(place, desired))) return { state: 'Refused', reason: 'PlanChanged' };
  const { client, notes = UNSIGNED } = place;
  const { name = '', annotations } = subscription.metadata;
  const { apiVersion, kind, metadata, spec } = desired.subscription;
  const wanted = notes.noted(client.cluster, { apiVersion, kind, metadata: { ...metadata, name }, spec });
  const marks = { ...wanted.metadata.annotations };
  const { catalogSource } = desired;
  if (catalogSource !== undefined && !desired.isStaged) {
    await client.apply(notes.noted(client.cluster, catalogSource), { fieldManager: FLEET });
  }
  const after = subscriptionOver(subscription, desired);
  const isSame = JSON.stringify(after.spec) === JSON.stringify(subscription.spec);
  const isMarked = Object.entries(marks).every(([key, value]) => annotations?.[key] === value);
  if (!isSame || !isMarked) await client.apply(wanted, { fieldManager: FLEET });
  return { state: 'Running', hop: 1 };
}
