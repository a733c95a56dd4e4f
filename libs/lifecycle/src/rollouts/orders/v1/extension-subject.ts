import { type DeniedMark, deniedIn } from '#core/cluster/marks/fleet-marks';
import { CLUSTER_CATALOG_API, ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import { MOST_DENIED } from '#core/kernel/api/fleet/fleet-assignment';
import { FleetCatalog } from '#core/kernel/api/fleet/fleet-catalog';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { CHANGES, type ChangeKind } from '#core/kernel/api/fleet/fleet-strategy';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { CONFLICT, RESOLUTION_FAILED, VERSION_NOT_ALLOWED } from '#core/rollout/controller/facts/report-reasons';
import { CATALOG_ANNOTATION } from '#core/rollout/desired/desired-classic';
import {
  clusterCatalogConflict,
  type DesiredV1,
  desiredV1,
  extensionChanges,
  extensionConflict,
  extensionNameIn,
  v1SpecHash,
} from '#core/rollout/desired/desired-v1';
import { hopHashOf } from '#core/rollout/review/hop-hash';
import { versionChange } from '#core/rollout/review/plan-changes';
import { CATALOG_NAME_LABEL } from '#core/v1/extension/catalog-query';
import { extensionHealth } from '#core/v1/extension/extension-health';
import type { InstalledBundle } from '#core/v1/revision/installed-revision';
import { PLAN_KEY } from '#core/v1/revision/revision-keys';
import { bundleOf } from '#core/v1/revision/revision-states';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ExtensionRead } from '../../../v1/extensions/read-extension.js';
import {
  type ExtensionPlans,
  extensionsIn,
  type RenderedBundle,
  type V1Preview,
} from '../../previews/extension-plans.js';
import type { PlanningPlace } from '../place/order-place.js';
import { type OrderPlace } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { RowPlans } from '../place/row-plans.js';
import { plannedExtension } from '../review/extension-review.js';
import { deprecatedFact, hashesOf, isOfFleet, versionsHash } from '../subject/fleet-subject.js';

type Facts = Omit<RowFinding, 'state'>;

/** The ClusterExtension of a FleetOperator in one cluster. */
export type V1Subject = Readonly<{
  operator: FleetOperator;
  plans: ExtensionPlans;
  /** Name of the ClusterExtension in the cluster, or the one that it will have. */
  name: string;
  desired: DesiredV1;
  /** Undefined if it is not there. */
  read: ExtensionRead | undefined;
  installed: InstalledBundle | undefined;
  /** Content of the installed revision. */
  running: RenderedBundle | undefined;
  /** A revision has not succeeded yet. */
  isRollingOut: boolean;
  denied: readonly DeniedMark[];
}>;

/** The ClusterExtension of a FleetOperator, or why there is nothing to plan with. */
export async function findExtension(
  { hub, cluster: { client }, previews: { extensions: plans } }: Omit<OrderPlace, 'memo'>,
  operator: FleetOperator,
): Promise<V1Subject | string> {
  if (plans === undefined) return 'this process does not plan ClusterExtensions';
  const { fleetCatalog } = operator.spec.catalog;
  const ref = { apiVersion: FLEET_API, kind: 'FleetCatalog', namespace: operator.metadata.namespace };
  const catalog = fleetCatalog === undefined ? undefined : await hub.get({ ...ref, name: fleetCatalog });
  const desired = desiredV1(operator, { catalog: FleetCatalog.safeParse(catalog).data });
  if (typeof desired === 'string') return desired;
  const name = extensionNameIn(await extensionsIn(client), desired);
  const read = await plans.read(client, name);
  const installed = read?.states.installed;
  return {
    ...{ operator, plans, name, desired, read },
    installed: installed && bundleOf(installed).bundle,
    running: read && installed && plans.contentOf(client, read, installed),
    isRollingOut: (read?.states.rollingOut.length ?? 0) > 0,
    denied: read === undefined ? [] : deniedIn(read.extension, versionsHash(operator)),
  };
}

/** The ClusterCatalog of these objects as it is in the cluster. */
export async function liveClusterCatalog(client: KubeClient, desired: DesiredV1): Promise<ClusterCatalog | undefined> {
  const { name } = desired.clusterCatalog?.metadata ?? {};
  if (name === undefined) return undefined;
  return ClusterCatalog.safeParse(await client.get({ ...CLUSTER_CATALOG_API, name })).data;
}

/** Returns the installed version, and its health. */
export function extensionFacts({ read, installed, denied }: V1Subject): Facts {
  const health = read && extensionHealth(read.extension);
  return {
    ...(installed === undefined
      ? {}
      : { bundle: installed.name, ...deprecatedFact(read?.extension.status?.conditions) }),
    ...(denied.length === 0 ? {} : { denied: denied.map(({ bundle, scope }) => ({ bundle, scope })) }),
    healthy: installed !== undefined && health?.installed === true && health.abnormal === undefined,
  };
}

/** The next step of a cluster. `isUndecided`: that is not known yet. `next`: the content that would run. */
export type ExtensionMove = Readonly<{ facts: Facts; isUndecided: boolean; next?: RenderedBundle }>;

/** Returns the next step of the cluster with the objects that the fleet wants there. */
export async function extensionMove(
  { cluster: { client }, previews, plans: found }: Omit<PlanningPlace, 'hub'>,
  subject: V1Subject,
): Promise<ExtensionMove> {
  const { desired, read, name, plans } = subject;
  const inTheWay =
    extensionConflict(read?.extension, desired) ??
    clusterCatalogConflict(await liveClusterCatalog(client, desired), desired);
  if (inTheWay !== undefined) return decided({ reason: CONFLICT, message: reportText(inTheWay) });
  const preview: V1Preview = await plans.preview(client, name, desired, read);
  if ('waits' in preview) {
    previews.noteWait?.();
    return { facts: { message: reportText(preview.waits) }, isUndecided: true };
  }
  if ('fails' in preview) return decided({ reason: RESOLUTION_FAILED, message: reportText(preview.fails) });
  if ('refused' in preview) return decided(refusedFacts(subject, preview));
  return { ...decided(movedFacts(found, subject, preview)), next: preview };
}

const decided = (facts: Facts): ExtensionMove => ({ facts, isUndecided: false });

function refusedFacts(
  { denied }: V1Subject,
  { refused, bundle }: Readonly<{ refused: string; bundle: string }>,
): Facts {
  const before = denied.map((one) => ({ bundle: one.bundle, scope: one.scope }));
  const message = reportText(`${bundle} is not installed here: ${refused}`);
  const all = [...before, { bundle, scope: 'Cluster' as const }].slice(-MOST_DENIED);
  return { reason: VERSION_NOT_ALLOWED, message, denied: all };
}

type Rendered = Exclude<V1Preview, { waits: string } | { fails: string } | { refused: string }>;

/**
 * Returns nothing if the cluster has it all: the bundle, its content, and the fields that the fleet desires.
 */
function movedFacts(plans: RowPlans, subject: V1Subject, next: Rendered): Facts {
  const { desired, read, name, installed, running, operator } = subject;
  const isMoved = installed?.name !== next.bundle.name;
  const isOther = running?.content !== next.content;
  const changed = read === undefined ? { kinds: [], lines: [] } : extensionChanges(read.extension, desired);
  if (!isMoved && !isOther && changed.kinds.length === 0 && isPinned(subject, next)) return {};
  const moves = [{ subscription: name, from: installed?.name ?? null, to: next.bundle.name }];
  const specHash = v1SpecHash(desired);
  const hashes = hashesOf(isMoved || isOther ? [hopHashOf(next.content, moves)] : [], specHash);
  const from = installed?.name;
  const { deprecations } = next;
  const about = { from, to: next.bundle.name, specHash, lines: changed.lines, deprecations };
  const planned = { moves: isMoved ? moves : [], ...about };
  plans.note(hashes.planHash, plannedExtension(name, operator, next, { ...planned, running }));
  const { catalogDigest } = desired;
  return {
    ...(catalogDigest === undefined ? {} : { catalogDigest }),
    ...{ planned: next.bundle.name, ...hashes },
    changes: changesOf(installed, next, isMoved, isOther, changed.kinds),
  };
}

/** The exact version and the content that was reviewed are asked for already, by this FleetOperator. */
const isPinned = ({ read, operator }: V1Subject, { bundle, content }: RenderedBundle): boolean =>
  read !== undefined &&
  isOfFleet(read.extension, operator) &&
  read.extension.spec.source.catalog?.version === bundle.version &&
  read.extension.metadata.annotations?.[PLAN_KEY] === content;

function changesOf(
  installed: InstalledBundle | undefined,
  { bundle }: Rendered,
  isMoved: boolean,
  isOther: boolean,
  kinds: readonly ChangeKind[],
): ChangeKind[] {
  const versioned = ({ version }: InstalledBundle) => `bundle.v${version}`;
  const found = new Set<ChangeKind>(kinds);
  if (isMoved) found.add(versionChange(installed === undefined ? null : versioned(installed), versioned(bundle)));
  // Other content under the same version.
  else if (isOther && found.size === 0) found.add('Patch');
  else if (found.size === 0) found.add('ConfigChange');
  return CHANGES.filter((kind) => found.has(kind));
}

/** The objects of a FleetOperator of OLM v1 that are there: its ClusterExtension, and the catalog of that. */
export async function extensionObjects(
  client: KubeClient,
  operator: FleetOperator,
): Promise<readonly KubernetesObject[]> {
  const own = (await extensionsIn(client)).find((one) => isOfFleet(one, operator));
  const name = own?.spec.source.catalog?.selector?.matchLabels?.[CATALOG_NAME_LABEL];
  if (own === undefined) return [];
  const catalog = name === undefined ? undefined : await client.get({ ...CLUSTER_CATALOG_API, name });
  const key = `${operator.metadata.namespace}/${operator.spec.catalog.fleetCatalog ?? ''}`;
  const isOurs = catalog?.metadata.annotations?.[CATALOG_ANNOTATION] === key;
  return [own, ...(isOurs ? [catalog] : [])];
}
