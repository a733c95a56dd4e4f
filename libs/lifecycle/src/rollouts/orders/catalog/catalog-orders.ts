import {
  DENIED_ANNOTATION,
  deniedIn,
  PREVIOUS_ANNOTATION,
  previousOf,
  withDenied,
  withoutDenied,
} from '#core/cluster/marks/fleet-marks';
import { FLEET } from '#core/kernel/actions/field-managers';
import { CATALOG_SOURCE_API, CatalogSource } from '#core/kernel/api/catalog-source';
import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { FleetCatalog } from '#core/kernel/api/fleet/fleet-catalog';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { ChangeKind } from '#core/kernel/api/fleet/fleet-strategy';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { CONFLICT, RETURN_FAILED, RETURNED, RETURNING } from '#core/rollout/controller/facts/report-reasons';
import { askedOfSources, hasOtherFields } from '#core/rollout/desired/catalog-changes';
import { CATALOG_ANNOTATION, desiredCatalog } from '#core/rollout/desired/desired-classic';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { OrderCluster } from '../place/order-place.js';
import { type OrderPlace } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { lastAttempt } from '../subject/last-attempt.js';
import { keepCatalogPlan } from './catalog-plans.js';

type CarriedOut = Readonly<{ finding: RowFinding; againAfterMs?: number }>;

/** Pause after a catalog got content until its CatalogSource is read again. */
const SERVING_AGAIN_MS = 2_000;
/** Denials of a catalog hold until a decision: it has no `versions` that could lift them. */
const NO_VERSIONS = '';

/** Access to the place of an order about a catalog. */
type CatalogPlace = Omit<OrderPlace, 'previews'>;

/** The catalog of an order in its cluster. */
type StagedCatalog = Readonly<{
  catalog: FleetCatalog;
  live: CatalogSource | undefined;
  /** The digest that the cluster has. */
  held: string | undefined;
  /** Beside its content it would be another one, such as with another priority. */
  isOther: boolean;
  sourceWith: (digest: string) => CatalogSource | undefined;
}>;

/**
 * Carries out an order about a Staged FleetCatalog: its CatalogSource is moved to a digest in the cluster's
 * turn, and no operator moves it (design: fleet.md §1.2).
 */
export async function carryOutCatalog(
  place: CatalogPlace,
  row: AssignmentRow,
  before: AssignmentReport | undefined,
): Promise<CarriedOut> {
  const { hub, cluster } = place;
  const { client, globalCatalogNamespace, notes } = cluster;
  const [kind = '', namespace, name = ''] = row.subject.split('/');
  const catalog = FleetCatalog.safeParse(await hub.get({ apiVersion: FLEET_API, kind, namespace, name })).data;
  if (catalog?.spec.promotion !== 'Staged') return planning(`there is no Staged ${row.subject}`);
  const wanted = desiredCatalog(catalog, { globalCatalogNamespace });
  if (typeof wanted === 'string') return planning(wanted);
  const { name: sourceName = '', namespace: sourceNamespace } = wanted.source.metadata;
  const ref = { ...CATALOG_SOURCE_API, name: sourceName, namespace: sourceNamespace };
  const live = CatalogSource.safeParse(await client.get(ref)).data;
  const key = `${namespace}/${name}`;
  if (live !== undefined && !catalog.spec.adopt && live.metadata.annotations?.[CATALOG_ANNOTATION] !== key) {
    const message = `CatalogSource ${sourceNamespace}/${sourceName} is not the fleet's: set adopt: true in the FleetCatalog`;
    return { finding: { state: 'Planning', reason: CONFLICT, message } };
  }
  const sourceWith = (digest: string) => {
    const found = desiredCatalog(catalog, { globalCatalogNamespace, digest });
    return typeof found === 'string' ? undefined : found.source;
  };
  const held = live?.spec.image?.split('@')[1];
  const isForged = live !== undefined && notes.isForged(client.cluster, live as KubernetesObject);
  const isOther = live !== undefined && hasOtherFields(live, wanted.source, isForged);
  const there = { catalog, live, held, isOther, sourceWith };
  const found = factsOf(there, wanted);
  // Before the move: afterwards the cluster does not show the change.
  const differences = await keepCatalogPlan(place, row, found, { live, wanted: wanted.source });
  const facts = { ...found, ...(differences === undefined ? {} : { differences }) };
  const done = await byOrder(place, row, there, before);
  const finding = { ...facts, ...done };
  return done.state === 'Running' ? { finding, againAfterMs: SERVING_AGAIN_MS } : { finding };
}

const PLAN_CHANGED = {
  reason: 'PlanChanged',
  message: 'the catalog changes more here than was approved: its class needs another approval',
} as const;

const planning = (message: string): CarriedOut => ({ finding: { state: 'Planning', message: reportText(message) } });

const hashOf = ({ spec }: CatalogSource): string => canonicalHash({ catalog: spec });
const isServing = (live: CatalogSource | undefined): boolean =>
  live?.status?.connectionState?.lastObservedState === 'READY';

/** Returns the digest in the cluster, and the digest that the cluster would get. */
function factsOf(
  { catalog, live, held, isOther }: StagedCatalog,
  { source, digest }: Readonly<{ source: CatalogSource; digest: string }>,
): Omit<RowFinding, 'state'> {
  const denied = live === undefined ? [] : deniedIn(live, NO_VERSIONS);
  const changes = changesOf({ held, isOther }, digest);
  return {
    ...(held === undefined ? {} : { bundle: held, catalogDigest: held }),
    ...(changes.length === 0 ? {} : { planned: digest, planHash: hashOf(source), changes }),
    specHash: askedOfSources(catalog),
    ...(denied.length === 0 ? {} : { denied: denied.map(({ versions: _versions, ...one }) => one) }),
    healthy: isServing(live),
  };
}

const changesOf = ({ held, isOther }: Pick<StagedCatalog, 'held' | 'isOther'>, digest: string): ChangeKind[] => [
  ...(held === digest ? [] : (['CatalogOnly'] as const)),
  ...(isOther && held !== undefined ? (['ConfigChange'] as const) : []),
];

async function byOrder(
  place: CatalogPlace,
  row: AssignmentRow,
  there: StagedCatalog,
  before: AssignmentReport | undefined,
): Promise<RowFinding> {
  const hop = before?.hop ?? 0;
  switch (row.order) {
    case 'Go':
      return goOn(place, row, there);
    case 'Return':
      return { hop, ...(await goBack(place.cluster, row, there)) };
    case 'Rest':
      if (row.result === 'RolledBack') return { state: 'Ready', reason: RETURNED, hop };
      return { state: there.held === row.target?.bundle ? 'Ready' : 'Failed', hop };
    default:
      return { state: 'Planned', ...lastAttempt(row, there.live, false) };
  }
}

async function goOn(place: CatalogPlace, row: AssignmentRow, there: StagedCatalog): Promise<RowFinding> {
  const target = row.target?.bundle ?? '';
  const source = there.sourceWith(target);
  const isSame = source !== undefined && hashOf(source) === row.target?.planHash;
  // A digest that the attempt has brought stays, whatever is desired now.
  if (there.held === target && (!isSame || !there.isOther) && (isSame || hasBegun(row, there))) {
    return { state: isServing(there.live) ? 'Ready' : 'Running', hop: 1 };
  }
  if (source === undefined || !isSame) {
    return { state: 'Refused', reason: 'PlanChanged' };
  }
  // The cluster's state may differ from the one at the time of the request; an attempt that has begun
  // continues.
  const { live, held } = there;
  const ordered = {
    ...{ planned: target, planHash: hashOf(source), changes: changesOf(there, target) },
    ...(held === undefined ? {} : { bundle: held }),
  };
  const differences = await keepCatalogPlan(place, row, ordered, { live, wanted: source });
  if (differences !== undefined && differences !== row.target?.differences && !hasBegun(row, there))
    return { state: 'Refused', ...PLAN_CHANGED };
  await move(place.cluster, row, there, source);
  return { state: 'Running', hop: 1 };
}

function hasBegun({ rollout, attempt }: AssignmentRow, { live }: StagedCatalog): boolean {
  const known = live && previousOf(live);
  return known?.rollout === rollout && known?.attempt === attempt;
}

/**
 * Moves the catalog. The state that the first attempt found is the cluster's state before the rollout: it is
 * noted before the change.
 */
async function move(
  { client, notes }: OrderCluster,
  row: AssignmentRow,
  { live, held }: StagedCatalog,
  source: CatalogSource,
): Promise<void> {
  const { rollout = '', attempt, wave, target } = row;
  if (live !== undefined) {
    const known = previousOf(live);
    const bundle = known?.rollout === rollout ? known.bundle : (held ?? null);
    await patchMarks(client, live, {
      [PREVIOUS_ANNOTATION]: JSON.stringify({ rollout, attempt, wave, bundle, planHash: target?.planHash }),
      [DENIED_ANNOTATION]: withoutDenied(deniedIn(live, NO_VERSIONS), target?.bundle ?? ''),
    });
  }
  await client.apply(notes.noted(client.cluster, source), { fieldManager: FLEET });
}

/** Rolls the catalog back to the digest before this rollout, and denies the digest of the rollout. */
async function goBack(
  { client, notes, clock }: OrderCluster,
  row: AssignmentRow,
  there: StagedCatalog,
): Promise<RowFinding> {
  const { live, held, sourceWith } = there;
  const known = live && previousOf(live);
  const before = known?.rollout === row.rollout ? known?.bundle : null;
  // Other fields alone are not rolled back, and a digest that stays is not denied.
  const previous = before === row.target?.bundle ? null : before;
  const source = previous === null || previous === undefined ? undefined : sourceWith(previous);
  if (live === undefined || source === undefined) {
    const returnCheck = { ok: false, reasons: ['NothingBefore'] };
    return { state: 'Failed', reason: RETURN_FAILED, message: 'there is no earlier digest to return to', returnCheck };
  }
  const { rollout = '', denies: scope = 'Operator', target } = row;
  const bundle = target?.bundle ?? '';
  const denied = deniedIn(live, NO_VERSIONS);
  if (!denied.some((one) => one.bundle === bundle && one.rollout === rollout)) {
    const since = clock.now().toISOString();
    const mark = { bundle, rollout, scope, versions: NO_VERSIONS, since };
    await patchMarks(client, live, { [DENIED_ANNOTATION]: withDenied(denied, mark) });
  }
  if (held === previous) return { state: 'Ready', reason: RETURNED };
  await client.apply(notes.noted(client.cluster, source), { fieldManager: FLEET });
  return { state: 'Running', reason: RETURNING };
}

const patchMarks = (
  client: KubeClient,
  { metadata }: CatalogSource,
  annotations: Readonly<Record<string, string | null>>,
) =>
  client.patch(
    { ...CATALOG_SOURCE_API, name: metadata.name ?? '', namespace: metadata.namespace },
    { metadata: { annotations } },
  );
