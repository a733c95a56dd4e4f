import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import type { ObjectMeta } from '../../kernel/api/kubernetes-object.js';

/** Returns a sort key: by age, and by name if two objects were created in the same second. */
export const ageOf = ({ name = '', creationTimestamp }: ObjectMeta): string => `${creationTimestamp ?? ''} ${name}`;

const placeOf = ({ spec }: FleetOperator): string => `${spec.namespace}/${spec.package}`;

/**
 * Returns the acting operators. If several are for one package and namespace in a cluster, only the oldest
 * acts (design: fleet.md §1.3).
 */
export function actingOperators(all: readonly FleetOperator[]): FleetOperator[] {
  const acting = new Map<string, FleetOperator>();
  for (const operator of all) {
    const known = acting.get(placeOf(operator));
    if (known === undefined || ageOf(operator.metadata) < ageOf(known.metadata))
      acting.set(placeOf(operator), operator);
  }
  return [...acting.values()];
}
