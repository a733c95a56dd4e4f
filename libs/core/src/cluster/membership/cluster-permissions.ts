import { sameJson } from '../../kernel/canonical/same-json.js';
import type { ClusterCondition, FleetClusterStatus, LacksOfServices, ServiceOfRights } from './cluster-conditions.js';

const TYPE = 'PermissionsSufficient';
const SERVICES: readonly ServiceOfRights[] = ['poller', 'applier'];

/**
 * The status of a FleetCluster with what one service lacks there, and the condition that sums up both: each
 * service asks with its own login (decision 0470). `lacks`: undefined where the service needs nothing there.
 * The same object where nothing of it has changed.
 */
export function withMissingRights(
  before: FleetClusterStatus,
  service: ServiceOfRights,
  lacks: readonly string[] | undefined,
  at: string,
): FleetClusterStatus {
  const { [service]: _own, ...others } = before.missingRights ?? {};
  const missing: LacksOfServices = lacks === undefined ? others : { ...others, [service]: lacks };
  const known = before.conditions?.find(({ type }) => type === TYPE);
  const condition = conditionOf(missing, known, at);
  if (sameJson(missing, before.missingRights ?? {}) && sameJson(condition, known)) return before;
  const conditions = [
    ...(before.conditions ?? []).filter(({ type }) => type !== TYPE),
    ...(condition === undefined ? [] : [condition]),
  ].sort((a, b) => (a.type < b.type ? -1 : 1));
  return { ...before, missingRights: missing, conditions };
}

function conditionOf(
  missing: LacksOfServices,
  known: ClusterCondition | undefined,
  at: string,
): ClusterCondition | undefined {
  const asked = SERVICES.filter((service) => missing[service] !== undefined);
  if (asked.length === 0) return undefined;
  const parts = asked.flatMap((service) => {
    const lacks = missing[service] ?? [];
    return lacks.length === 0 ? [] : [`the ${service} lacks ${lacks.join('; ')}`];
  });
  const status = parts.length === 0 ? 'True' : 'False';
  const reason = parts.length === 0 ? 'AllGranted' : 'RulesMissing';
  const lastTransitionTime = known?.status === status ? known.lastTransitionTime : at;
  return { type: TYPE, status, reason, message: parts.join('. '), lastTransitionTime };
}
