import { FLEET } from '#core/kernel/actions/field-managers';
import { CATALOG_SOURCE_API, CatalogSource } from '#core/kernel/api/catalog-source';
import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { CHANGES } from '#core/kernel/api/fleet/fleet-strategy';
import { INSTALL_PLAN_API, type InstallPlan } from '#core/kernel/api/install-plan';
import { CONFLICT, RESOLUTION_FAILED } from '#core/rollout/controller/facts/report-reasons';
import {
  catalogConflict,
  type DesiredClassic,
  specHash,
  subscriptionOver,
} from '#core/rollout/desired/desired-classic';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClassicPreview } from '../../previews/classic-preview.js';
import type { OrderCluster, PlanningPlace } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { RowPlans } from '../place/row-plans.js';
import { hashesOf } from '../subject/fleet-subject.js';
import { adoptGroup } from './adopted-group.js';
import {
  type ClassicSubject,
  type DecidedFacts,
  factsOf,
  installedFacts,
  plannedFacts,
  withDenied,
} from './classic-subject.js';

type Facts = Omit<RowFinding, 'state'>;
type MovePlace = Omit<PlanningPlace, 'hub'>;

/**
 * Objects that differ from the cluster's objects for the subject, such as other content of its catalog or
 * another channel. `facts`: the versions that they would bring. `isUndecided`: that is not known yet.
 */
export type CatalogMove = DecidedFacts & Readonly<{ desired: DesiredClassic }>;

/** The CatalogSource of these objects as it is in the cluster. */
export async function liveCatalog(client: KubeClient, desired: DesiredClassic): Promise<CatalogSource | undefined> {
  if (desired.catalogSource === undefined) return undefined;
  const { name = '', namespace } = desired.catalogSource.metadata;
  return CatalogSource.safeParse(await client.get({ ...CATALOG_SOURCE_API, name, namespace })).data;
}

/**
 * Returns the plan of the cluster with the objects that the fleet wants there. Undefined if it has them
 * already, or if the fleet must not change them.
 */
export async function catalogMoveOf(
  place: MovePlace,
  subject: ClassicSubject,
  row: AssignmentRow,
): Promise<CatalogMove | undefined> {
  const { desired, changes } = subject;
  if (desired === undefined) return undefined;
  const live = await liveCatalog(place.cluster.client, desired);
  const isOther = desired.catalogSource !== undefined && live?.spec.image !== desired.catalogSource.spec.image;
  const hasNewContent = isOther && (!desired.isStaged || (await looksAhead(place, subject, row)));
  const kinds = changes?.kinds ?? [];
  if (hasNewContent || changes?.isResolvedAnew === true) return resolvedMove(place, subject, desired, live);
  const found = kinds.length === 0 ? undefined : await withoutResolving(place, subject, desired, row);
  return found && { desired, ...found };
}

/**
 * True if the plan uses content of a Staged FleetCatalog that the cluster does not have yet. That is so if
 * the present content brings nothing: the rollout waits for the new content there (design: fleet.md §1.2).
 */
const looksAhead = async (place: MovePlace, subject: ClassicSubject, row: AssignmentRow): Promise<boolean> => {
  if (row.order === 'Go') return false;
  const { facts, isUndecided } = await factsOf(subject, place, row);
  return facts.planHash === undefined && !isUndecided;
};

/** Facts of a move without a new resolution: of the plan that waits, or else of the spec alone. */
async function withoutResolving(
  place: MovePlace,
  subject: ClassicSubject,
  desired: DesiredClassic,
  row: AssignmentRow,
): Promise<DecidedFacts | undefined> {
  const { facts, isUndecided } = await factsOf(subject, place, row);
  if (isUndecided) return { facts, isUndecided };
  const decided = facts.planHash === undefined ? specFacts(place.plans, subject, desired) : withKinds(facts, subject);
  return decided && { facts: decided, isUndecided };
}

const withKinds = (facts: Facts, { changes }: ClassicSubject): Facts => ({
  ...facts,
  changes: CHANGES.filter((kind) => facts.changes?.includes(kind) || changes?.kinds.includes(kind)),
});

/** Returns the facts of a move that keeps the installed version and writes other objects alone. */
function specFacts(
  plans: RowPlans,
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
  const hops = [{ plan, moves: [], from: installed, to: installed }] as const;
  plans.note(hashes.planHash, { hops, ...asks, lines: changes.lines });
  return { ...installedFacts(subject), planned: installed, ...hashes, changes: [...changes.kinds] };
}

async function resolvedMove(
  place: MovePlace,
  subject: ClassicSubject,
  desired: DesiredClassic,
  live: CatalogSource | undefined,
): Promise<CatalogMove | undefined> {
  if (place.previews.preview === undefined) return undefined;
  const installed = installedFacts(subject);
  const move = (more: Facts, isUndecided = false): CatalogMove => ({
    ...{ desired, isUndecided },
    facts: { ...installed, ...more },
  });
  const conflict = catalogConflict(live, desired);
  if (conflict !== undefined) return move({ reason: CONFLICT, message: reportText(conflict) });
  const preview = await place.previews.preview(desired);
  if ('conflict' in preview) return move({ reason: CONFLICT, message: reportText(preview.conflict) });
  if ('fails' in preview) return move({ reason: RESOLUTION_FAILED, message: reportText(preview.fails) });
  if ('waits' in preview) {
    place.previews.noteWait?.();
    return move({ message: reportText(preview.waits) }, true);
  }
  if ('nothing' in preview) {
    const { nothing, deprecations } = preview;
    return move(specFacts(place.plans, subject, desired, deprecations) ?? { message: reportText(nothing) });
  }
  return move(previewFacts(place, subject, desired, preview));
}

/** Returns the facts of the path of a preview. */
function previewFacts(
  place: MovePlace,
  subject: ClassicSubject,
  desired: DesiredClassic,
  { hops, ends, deprecations }: Extract<ClassicPreview, { hops: unknown }>,
): Facts {
  const { subscription, changes } = subject;
  const { name = '' } = subscription.metadata;
  const asks = { subscription: name, asked: desired.subscription.spec, specHash: specHash(desired), deprecations };
  const path = { hops, ...(ends === undefined ? {} : { ends }) };
  const made = plannedFacts(place, subject, { ...path, ...asks, lines: changes?.lines ?? [] });
  return {
    ...withDenied(subject, made.planHash === undefined ? made : withKinds(made, subject)),
    ...(desired.catalogDigest === undefined ? {} : { catalogDigest: desired.catalogDigest }),
  };
}

/** Moves the cluster to the content that leads to the plan that was reviewed. */
export async function moveCatalog(
  cluster: OrderCluster,
  row: AssignmentRow,
  { subscription }: ClassicSubject,
  { desired, facts }: CatalogMove,
): Promise<RowFinding> {
  // Nothing was written yet, so the move is previewed again.
  if (facts.planHash === undefined && facts.reason === undefined) return { state: 'Running', hop: 1 };
  if (facts.planHash !== row.target?.planHash) return { state: 'Refused', reason: 'PlanChanged' };
  if (!(await adoptGroup(cluster, desired))) return { state: 'Refused', reason: 'PlanChanged' };
  const { client, notes } = cluster;
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
