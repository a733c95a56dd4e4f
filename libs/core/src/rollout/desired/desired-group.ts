import { FAIL_FORWARD, ISOLATION_ANNOTATION } from '../../classic/resolution/problem/desired-namespace.js';
import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { OPERATOR_GROUP_API, type OperatorGroup } from '../../kernel/api/operator-group.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { byCodeUnit, canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { APPLIED_ANNOTATION } from './drift.js';

/** The OperatorGroup that the fleet creates in a namespace without one. All its operators there share it. */
export const FLEET_GROUP = 'fleet';

/**
 * Returns the group with isolation, so that approving one plan moves no neighbour. It also upgrades from a
 * failed version.
 */
export function groupOf({ spec }: FleetOperator): OperatorGroup | undefined {
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

type GroupsThere = Readonly<{ operatorGroups: readonly OperatorGroup[]; subscriptions: readonly Subscription[] }>;

/**
 * Returns the groups of a namespace including the desired one, or the reason why that one may not be created.
 */
export function groupsWith(
  { operatorGroups: live, subscriptions }: GroupsThere,
  namespace: string,
  wanted: OperatorGroup | undefined,
): readonly OperatorGroup[] | string {
  const [first, ...more] = live;
  if (more.length > 0) return tooMany(namespace, live);
  if (wanted === undefined) {
    if (first !== undefined) return live;
    return `namespace ${namespace} has no OperatorGroup: create one, or set classic.operatorGroup.manage: Create`;
  }
  if (first === undefined) return [wanted];
  if (first.metadata.name === wanted.metadata.name) {
    const [neighbour] = subscriptions;
    const isSame = canonicalJson(reachOf(first)) === canonicalJson(reachOf(wanted));
    if (isSame || neighbour === undefined) return [wanted];
    return (
      `namespace ${namespace} has OperatorGroup ${FLEET_GROUP} for ${reachText(first)}, and ${neighbour.spec.name} runs there: ` +
      `this FleetOperator wants ${reachText(wanted)}; give both the same classic.operatorGroup, or use two namespaces`
    );
  }
  return `namespace ${namespace} has OperatorGroup ${first.metadata.name}: set classic.operatorGroup.manage to Adopt or Use`;
}

const tooMany = (namespace: string, live: readonly OperatorGroup[]): string =>
  `namespace ${namespace} has ${live.length} OperatorGroups: delete all but one`;

/** True if each operator of the group has plans of its own. */
export const isIsolated = ({ metadata }: OperatorGroup): boolean =>
  metadata.annotations?.[ISOLATION_ANNOTATION] === 'true';

/** Name of the field of an adopted group, as changes name it. */
export const ISOLATION_FIELD = `metadata.annotations.${ISOLATION_ANNOTATION}`;

/**
 * The only group of a namespace with isolation, or why a FleetOperator may not adopt it. Its targets and its
 * ServiceAccount stay: a FleetOperator that names others is refused (why: fleet-operators.md "Adopted
 * OperatorGroups").
 */
export function adoptedGroup(live: readonly OperatorGroup[], { spec }: FleetOperator): OperatorGroup | string {
  const { namespace, classic } = spec;
  const [group, ...more] = live;
  if (more.length > 0) return tooMany(namespace, live);
  if (group === undefined) {
    return `namespace ${namespace} has no OperatorGroup to adopt: create one, or set classic.operatorGroup.manage: Create`;
  }
  const { name, annotations = {} } = group.metadata;
  const { targetNamespaces, serviceAccountName } = classic?.operatorGroup ?? {};
  const wanted = {
    ...group,
    spec: {
      ...group.spec,
      ...(targetNamespaces === undefined ? {} : { targetNamespaces }),
      ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
    },
  };
  if (canonicalJson(reachOf(wanted)) !== canonicalJson(reachOf(group))) {
    return (
      `namespace ${namespace} has OperatorGroup ${name} for ${reachText(group)}, and this FleetOperator wants ` +
      `${reachText(wanted)}: Adopt changes neither: remove these fields from classic.operatorGroup, or change the group`
    );
  }
  if (!isIsolated(group) && annotations[APPLIED_ANNOTATION] !== undefined && name === FLEET_GROUP) {
    return `OperatorGroup ${namespace}/${name} is the fleet's own: set classic.operatorGroup.manage: Create`;
  }
  const isolated = { ...annotations, [ISOLATION_ANNOTATION]: 'true' };
  return { ...group, metadata: { ...group.metadata, annotations: isolated } };
}

/**
 * Returns the fields that the fleet applies to a group that it adopts. All other fields stay with their
 * owner.
 */
export const isolationOf = ({ metadata: { name, namespace } }: OperatorGroup): OperatorGroup => ({
  ...OPERATOR_GROUP_API,
  metadata: { name, namespace, annotations: { [ISOLATION_ANNOTATION]: 'true' } },
});

/** Returns the fields that all operators of a group share. */
const reachOf = ({ spec }: OperatorGroup) => ({
  targets: [...(spec?.targetNamespaces ?? [])].sort(byCodeUnit),
  serviceAccount: spec?.serviceAccountName ?? '',
});

function reachText(group: OperatorGroup): string {
  const { targets, serviceAccount } = reachOf(group);
  const where = targets.length === 0 ? 'all namespaces' : `targetNamespaces ${targets.join(', ')}`;
  return serviceAccount === '' ? where : `${where} as ServiceAccount ${serviceAccount}`;
}
