import { OPERATOR_ANNOTATION } from '../../cluster/marks/fleet-marks.js';
import { CATALOG_SOURCE_API, type CatalogSource } from '../../kernel/api/catalog-source.js';
import { type FleetCatalog, FleetCatalogStatus } from '../../kernel/api/fleet/fleet-catalog.js';
import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { SUBSCRIPTION_API, type Subscription } from '../../kernel/api/subscription.js';
import { canonicalHash } from '../../kernel/canonical/canonical-json.js';
import { adoptedGroup, groupOf, groupsWith } from './desired-group.js';

/** Annotation of a CatalogSource that the fleet creates: `<namespace>/<name>` of its FleetCatalog. */
export const CATALOG_ANNOTATION = 'fleet.flotilla.dev/catalog';

/** Facts about one cluster that a FleetOperator of OLM Classic needs. */
export type DesiredPlace = Readonly<{
  globalCatalogNamespace: string;
  /** The FleetCatalog that the operator names. Undefined if no FleetCatalog has that name. */
  catalog?: FleetCatalog | undefined;
  /** The digest of its content; default: the one that its status names. */
  digest?: string | undefined;
}>;

/** The desired objects in a cluster for a FleetOperator of OLM Classic. */
export type DesiredClassic = Readonly<{
  operator: FleetOperator;
  namespace: KubernetesObject;
  /** Absent if the fleet does not create the group. */
  operatorGroup: OperatorGroup | undefined;
  /** True if the existing group gets isolation. */
  adoptsGroup: boolean;
  subscription: Subscription;
  /** The catalog by digest. Absent if the fleet does not own the operator's catalog. */
  catalogSource: CatalogSource | undefined;
  catalogDigest: string | undefined;
  /** The catalog moves in rollouts of its own: no operator moves it. */
  isStaged: boolean;
  /** Objects of other owners are taken over. */
  adopts: Readonly<{ subscription: boolean; catalogSource: boolean }>;
}>;

/** The objects, or why they are not known. */
export function desiredClassic(operator: FleetOperator, place: DesiredPlace): DesiredClassic | string {
  const { metadata, spec } = operator;
  const source = sourceOf(operator, place);
  if (typeof source === 'string') return source;
  const catalog = spec.catalog.fleetCatalog === undefined ? undefined : catalogOf(source, place);
  if (typeof catalog === 'string') return catalog;
  const { channel, config } = spec.classic ?? {};
  const annotations = { [OPERATOR_ANNOTATION]: `${metadata.namespace}/${metadata.name}` };
  return {
    operator,
    namespace: { ...KIND.Namespace, metadata: { name: spec.namespace } },
    operatorGroup: groupOf(operator),
    adoptsGroup: spec.classic?.operatorGroup?.manage === 'Adopt',
    subscription: {
      ...SUBSCRIPTION_API,
      metadata: { name: spec.package, namespace: spec.namespace, annotations },
      spec: {
        name: spec.package,
        ...(channel === undefined ? {} : { channel }),
        ...source,
        installPlanApproval: 'Manual',
        ...(config === undefined ? {} : { config }),
      },
    },
    catalogSource: catalog?.source,
    catalogDigest: catalog?.digest,
    isStaged: place.catalog?.spec.promotion === 'Staged',
    adopts: { subscription: spec.adopt, catalogSource: place.catalog?.spec.adopt === true },
  };
}

function sourceOf(
  { spec }: FleetOperator,
  { globalCatalogNamespace, catalog }: DesiredPlace,
): Pick<Subscription['spec'], 'source' | 'sourceNamespace'> | string {
  const { fleetCatalog, name, namespace = globalCatalogNamespace } = spec.catalog;
  if (fleetCatalog === undefined) return { source: name ?? '', sourceNamespace: namespace };
  if (catalog === undefined) return `there is no FleetCatalog ${fleetCatalog} in the namespace of the FleetOperator`;
  return sourceNamed(catalog, globalCatalogNamespace);
}

function sourceNamed(
  { metadata, spec }: FleetCatalog,
  globalCatalogNamespace: string,
): Pick<Subscription['spec'], 'source' | 'sourceNamespace'> | string {
  const source = spec.catalogSource;
  if (source === undefined) return `FleetCatalog ${metadata.name} has no catalogSource, which OLM Classic needs`;
  return { source: source.name, sourceNamespace: source.namespace ?? globalCatalogNamespace };
}

/** The CatalogSource of a FleetCatalog by digest, or why it is not known. */
export function desiredCatalog(
  catalog: FleetCatalog,
  place: Omit<DesiredPlace, 'catalog'>,
): Readonly<{ source: CatalogSource; digest: string }> | string {
  const source = sourceNamed(catalog, place.globalCatalogNamespace);
  return typeof source === 'string' ? source : catalogOf(source, { ...place, catalog });
}

const DIGEST = /@(sha256:[0-9a-f]{64})$/;

/** The image of a FleetCatalog with the digest that is known of it, or why there is none. */
export function catalogImage({
  catalog,
  digest,
}: Pick<DesiredPlace, 'catalog' | 'digest'>):
  | Readonly<{ image: string; digest: string; catalog: FleetCatalog }>
  | string {
  if (catalog === undefined) return 'there is no FleetCatalog';
  const { metadata, spec } = catalog;
  const pinned = DIGEST.exec(spec.image)?.[1];
  const current = digest ?? pinned ?? FleetCatalogStatus.safeParse(catalog.status).data?.current;
  if (current === undefined) return `the image of FleetCatalog ${metadata.name} was not fetched yet`;
  return { image: `${withoutTag(spec.image)}@${current}`, digest: current, catalog };
}

/** The catalog with the digest that is known of its image. */
function catalogOf(
  { source: name, sourceNamespace: namespace }: Pick<Subscription['spec'], 'source' | 'sourceNamespace'>,
  place: DesiredPlace,
): Readonly<{ source: CatalogSource; digest: string }> | string {
  const found = catalogImage(place);
  if (typeof found === 'string') return found;
  const { metadata, spec } = found.catalog;
  const { priority, displayName, secrets } = spec.catalogSource ?? {};
  const annotations = { [CATALOG_ANNOTATION]: `${metadata.namespace}/${metadata.name}` };
  const source: CatalogSource = {
    ...CATALOG_SOURCE_API,
    metadata: { name, namespace, annotations },
    spec: {
      sourceType: 'grpc',
      image: found.image,
      ...(priority === undefined ? {} : { priority }),
      ...(displayName === undefined ? {} : { displayName }),
      ...(secrets === undefined ? {} : { secrets }),
    },
  };
  return { source, digest: found.digest };
}

const withoutTag = (image: string): string => image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');

/** The parts of a namespace that the preview changes. */
export type OverlaidNamespace = Readonly<{
  subscriptions: readonly Subscription[];
  operatorGroups: readonly OperatorGroup[];
}>;

/**
 * Returns the namespace with the desired objects, or the reason why they do not fit in it. Does not
 * change its arguments.
 */
export function withDesired(live: OverlaidNamespace, desired: DesiredClassic): OverlaidNamespace | string {
  const { namespace = '' } = desired.subscription.metadata;
  const named = live.subscriptions.find(({ metadata }) => metadata.name === desired.subscription.metadata.name);
  if (named !== undefined && named.spec.name !== desired.subscription.spec.name) {
    return `Subscription ${namespace}/${named.metadata.name} belongs to another package`;
  }
  const isThere = live.subscriptions.some(({ spec }) => spec.name === desired.subscription.spec.name);
  const groups = groupsAfter(live, desired, isThere);
  if (typeof groups === 'string') return groups;
  const subscribed = live.subscriptions.find(({ spec }) => spec.name === desired.subscription.spec.name);
  const others = live.subscriptions.filter((one) => one !== subscribed);
  return { subscriptions: [...others, subscriptionOver(subscribed, desired)], operatorGroups: groups };
}

/**
 * Returns the groups with the desired one. The group of an installed operator stays unchanged, unless it is
 * adopted.
 */
function groupsAfter(
  live: OverlaidNamespace,
  { operator, operatorGroup, adoptsGroup }: DesiredClassic,
  isThere: boolean,
): readonly OperatorGroup[] | string {
  if (adoptsGroup) {
    const adopted = adoptedGroup(live.operatorGroups, operator);
    return typeof adopted === 'string' ? adopted : [adopted];
  }
  return isThere ? live.operatorGroups : groupsWith(live, operator.spec.namespace, operatorGroup);
}

/**
 * Returns the reason why an existing Subscription, read with annotations, may not be changed. Returns
 * undefined if it may.
 */
export function subscriptionConflict(
  { subscriptions }: Pick<OverlaidNamespace, 'subscriptions'>,
  { adopts, subscription }: DesiredClassic,
): string | undefined {
  const live = subscriptions.find(({ spec }) => spec.name === subscription.spec.name);
  const key = OPERATOR_ANNOTATION;
  if (live === undefined || adopts.subscription) return undefined;
  if (live.metadata.annotations?.[key] === subscription.metadata.annotations?.[key]) return undefined;
  return `Subscription ${live.metadata.namespace}/${live.metadata.name} is not the fleet's: set adopt: true to take it over`;
}

/** Returns the Subscription as it will be after the fleet has applied the desired state. */
export function subscriptionOver(live: Subscription | undefined, { subscription }: DesiredClassic): Subscription {
  if (live === undefined) return subscription;
  return { ...live, spec: { ...live.spec, ...subscription.spec } };
}

/** Returns the reason why an existing CatalogSource may not be moved. Returns undefined if it may. */
export function catalogConflict(live: CatalogSource | undefined, desired: DesiredClassic): string | undefined {
  const wanted = desired.catalogSource;
  if (live === undefined || wanted === undefined || desired.adopts.catalogSource) return undefined;
  const key = CATALOG_ANNOTATION;
  if (live.metadata.annotations?.[key] === wanted.metadata.annotations?.[key]) return undefined;
  return `CatalogSource ${live.metadata.namespace}/${live.metadata.name} is not the fleet's: set adopt: true in the FleetCatalog`;
}

/** Returns the hash of the desired state. The catalog's digest is not part of it. */
export function specHash(desired: DesiredClassic): string {
  const { namespace, operatorGroup, adoptsGroup, subscription, catalogSource } = desired;
  const catalog = catalogSource && { ...catalogSource, spec: { ...catalogSource.spec, image: null } };
  const group = operatorGroup ?? (adoptsGroup ? 'Adopt' : null);
  return canonicalHash({ namespace, operatorGroup: group, subscription, catalog: catalog ?? null });
}

/**
 * Returns the name under which the preview of a package in a namespace is observed. No namespace has such a
 * name.
 */
export const previewPlace = (namespace: string, packageName: string): string => `${namespace}~${packageName}`;
