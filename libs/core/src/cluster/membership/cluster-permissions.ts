import { sameJson } from '../../kernel/canonical/same-json.js';
import { mergedConditions, removeConditions } from '../../kernel/conditions/condition-list.js';
import type {
  FleetClusterStatus,
  FoundClusterCondition,
  LacksOfServices,
  ServiceOfRights,
} from './cluster-conditions.js';

const TYPE = 'PermissionsSufficient';
const SERVICES: readonly ServiceOfRights[] = ['poller', 'applier'];

/**
 * Returns the status of a FleetCluster with the rights that one service lacks there, and the condition that
 * sums up both services. Each service checks with its own login (why: clusters.md "Rights of the hub in a
 * cluster"). `lacks`: undefined if the service needs nothing there. Returns the same object if nothing
 * changed.
 */
export function withMissingRights(
  before: FleetClusterStatus,
  service: ServiceOfRights,
  lacks: readonly string[] | undefined,
  at: string,
): FleetClusterStatus {
  const { [service]: _own, ...others } = before.missingRights ?? {};
  const missing: LacksOfServices = lacks === undefined ? others : { ...others, [service]: lacks };
  const known = before.conditions ?? [];
  const found = sufficiency(missing);
  const conditions = found === undefined ? removeConditions(known, [TYPE]) : mergedConditions(known, [found], at);
  if (sameJson(missing, before.missingRights ?? {}) && conditions === known) return before;
  return { ...before, missingRights: missing, conditions };
}

function sufficiency(missing: LacksOfServices): FoundClusterCondition | undefined {
  const asked = SERVICES.filter((service) => missing[service] !== undefined);
  if (asked.length === 0) return undefined;
  const parts = asked.flatMap((service) => {
    const lacks = missing[service] ?? [];
    return lacks.length === 0 ? [] : [`the ${service} is missing ${lacks.join('; ')}`];
  });
  const status = parts.length === 0 ? 'True' : 'False';
  const reason = parts.length === 0 ? 'AllGranted' : 'RulesMissing';
  return { type: TYPE, status, reason, message: parts.join('. ') };
}
