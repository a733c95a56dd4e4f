import { FAIL_FORWARD, ISOLATION_ANNOTATION } from '../../classic/resolution/desired-namespace.js';
import type { FleetCatalog } from '../../kernel/api/fleet/fleet-catalog.js';
import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { OPERATOR_GROUP_API, type OperatorGroup } from '../../kernel/api/operator-group.js';
import { SUBSCRIPTION_API, type Subscription } from '../../kernel/api/subscription.js';
import { canonicalHash } from '../../kernel/canonical/canonical-json.js';

/** On what the fleet makes in a cluster: `<namespace>/<name>` of the FleetOperator it is of. */
export const OPERATOR_ANNOTATION = 'fleet.flotilla.dev/operator';
/** The OperatorGroup that the fleet makes where a namespace has none; all its operators there share it. */
export const FLEET_GROUP = 'fleet';

/** What a FleetOperator of OLM Classic needs to be known of, beside itself, in one cluster. */
export type DesiredPlace = Readonly<{
  globalCatalogNamespace: string;
  /** The FleetCatalog that the operator names; undefined where there is none of that name. */
  catalog?: FleetCatalog | undefined;
}>;

/** The objects that are to be in a cluster for a FleetOperator of OLM Classic. */
export type DesiredClassic = Readonly<{
  operator: FleetOperator;
  namespace: KubernetesObject;
  /** Absent where the group is not the fleet's to make. */
  operatorGroup: OperatorGroup | undefined;
  subscription: Subscription;
}>;

/** The objects, or why they are not known. */
export function desiredClassic(operator: FleetOperator, place: DesiredPlace): DesiredClassic | string {
  const { metadata, spec } = operator;
  const source = sourceOf(operator, place);
  if (typeof source === 'string') return source;
  const { channel, config } = spec.classic ?? {};
  const annotations = { [OPERATOR_ANNOTATION]: `${metadata.namespace}/${metadata.name}` };
  return {
    operator,
    namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: spec.namespace } },
    operatorGroup: groupOf(operator),
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
  };
}

function sourceOf(
  { spec }: FleetOperator,
  { globalCatalogNamespace, catalog }: DesiredPlace,
): Pick<Subscription['spec'], 'source' | 'sourceNamespace'> | string {
  const { fleetCatalog, name, namespace = globalCatalogNamespace } = spec.catalog;
  if (fleetCatalog === undefined) return { source: name ?? '', sourceNamespace: namespace };
  if (catalog === undefined) return `there is no FleetCatalog ${fleetCatalog} beside the FleetOperator`;
  const source = catalog.spec.catalogSource;
  if (source === undefined) return `FleetCatalog ${fleetCatalog} has no catalogSource, which OLM Classic needs`;
  return { source: source.name, sourceNamespace: source.namespace ?? globalCatalogNamespace };
}

/** With isolation, so that approving one plan moves no neighbour, and going forward from what failed. */
function groupOf({ spec }: FleetOperator): OperatorGroup | undefined {
  const { manage = 'Create', targetNamespaces, serviceAccountName } = spec.classic?.operatorGroup ?? {};
  if (manage !== 'Create') return undefined;
  return {
    ...OPERATOR_GROUP_API,
    metadata: { name: FLEET_GROUP, namespace: spec.namespace, annotations: { [ISOLATION_ANNOTATION]: 'true' } },
    spec: {
      upgradeStrategy: FAIL_FORWARD,
      ...(targetNamespaces === undefined ? {} : { targetNamespaces }),
      ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
    },
  };
}

/** What of a namespace the preview changes. */
export type OverlaidNamespace = Readonly<{
  subscriptions: readonly Subscription[];
  operatorGroups: readonly OperatorGroup[];
}>;

/**
 * The namespace as it would be with the desired objects, or why they do not fit in it. Nothing is changed in
 * what is given.
 */
export function withDesired(live: OverlaidNamespace, desired: DesiredClassic): OverlaidNamespace | string {
  const { namespace = '' } = desired.subscription.metadata;
  const named = live.subscriptions.find(({ metadata }) => metadata.name === desired.subscription.metadata.name);
  if (named !== undefined && named.spec.name !== desired.subscription.spec.name) {
    return `Subscription ${namespace}/${named.metadata.name} is of another package`;
  }
  const groups = groupsWith(live.operatorGroups, desired);
  if (typeof groups === 'string') return groups;
  const others = live.subscriptions.filter(({ spec }) => spec.name !== desired.subscription.spec.name);
  return { subscriptions: [...others, desired.subscription], operatorGroups: groups };
}

function groupsWith(
  live: readonly OperatorGroup[],
  { operator, operatorGroup }: DesiredClassic,
): readonly OperatorGroup[] | string {
  const { namespace } = operator.spec;
  const [first, ...more] = live;
  if (more.length > 0) return `namespace ${namespace} has ${live.length} OperatorGroups: delete all but one`;
  if (operatorGroup === undefined) {
    if (first !== undefined) return live;
    return `namespace ${namespace} has no OperatorGroup: make one, or set classic.operatorGroup.manage: Create`;
  }
  if (first === undefined || first.metadata.name === operatorGroup.metadata.name) return [operatorGroup];
  return `namespace ${namespace} has OperatorGroup ${first.metadata.name}: set classic.operatorGroup.manage to Adopt or Use`;
}

/** What is desired, apart from where it is listed: the catalog's digest is no part of it. */
export const specHash = ({ namespace, operatorGroup, subscription }: DesiredClassic): string =>
  canonicalHash({ namespace, operatorGroup: operatorGroup ?? null, subscription });

/** Under which name the preview of a package in a namespace is observed; no namespace has such a name. */
export const previewPlace = (namespace: string, packageName: string): string => `${namespace}~${packageName}`;
