import { OPERATOR_ANNOTATION, previousOf } from '#core/cluster/marks/fleet-marks';
import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { ObjectMeta } from '#core/kernel/api/kubernetes-object';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { conditionOf } from '#core/kernel/conditions/condition-list';
import { DEPRECATED } from '#core/kernel/conditions/deprecation-types';
import { planHash } from '#core/rollout/review/plan-hash';
import { reportText } from '../place/row-finding.js';

/** Hash of the range or list that a denial is bound to. A change of the hash lifts the denial. */
export const versionsHash = ({ spec }: FleetOperator): string => canonicalHash(spec.versions ?? {});

/** True if the fleet has made the object for this FleetOperator. */
export const isOfFleet = (object: Readonly<{ metadata: ObjectMeta }>, { metadata }: FleetOperator): boolean =>
  object.metadata.annotations?.[OPERATOR_ANNOTATION] === `${metadata.namespace}/${metadata.name}`;

/** True if the fleet has created the object for this FleetOperator, or a rollout of it has changed it. */
export function wasChangedFor(object: Readonly<{ metadata: ObjectMeta }>, operator: FleetOperator): boolean {
  if (isOfFleet(object, operator)) return true;
  const { namespace, name } = operator.metadata;
  const prefix = `${namespace}/${name}-`;
  const rollout = previousOf(object)?.rollout ?? '';
  return rollout.startsWith(prefix) && /^\d+$/.test(rollout.slice(prefix.length));
}

/**
 * True if the rollout of a row has ended with its target in the cluster: it was brought there, or found there
 * by a row without an attempt.
 */
export const wasThere = ({ order, result }: AssignmentRow): boolean =>
  result === 'Done' && (order === 'Rest' || order === 'Preview');

/** The hashes of a path as they are reported. */
export const hashesOf = (
  hops: readonly string[],
  spec: string | undefined,
): Pick<AssignmentReport, 'planHash' | 'hops'> => ({ planHash: planHash(hops, spec), hops: [...hops] });

/**
 * Returns the deprecations of the installed version in its catalog, as its Subscription or ClusterExtension
 * says.
 */
export function deprecatedFact(
  conditions: readonly Readonly<{ type: string; status: string; message?: string | undefined }>[] = [],
): Pick<AssignmentReport, 'deprecated'> {
  const found = conditionOf(conditions, DEPRECATED);
  return found?.status !== 'True' ? {} : { deprecated: reportText(found.message ?? '') };
}
