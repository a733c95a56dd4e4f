import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import type { ObjectMeta } from '../../kernel/api/kubernetes-object.js';

/** By age, and by name where two objects are of one second. */
export const ageOf = ({ name = '', creationTimestamp }: ObjectMeta): string => `${creationTimestamp ?? ''} ${name}`;

const placeOf = ({ spec }: FleetOperator): string => `${spec.namespace}/${spec.package}`;

/** Of those for one package and namespace in a cluster the oldest acts alone (design: fleet.md §1.3). */
export function actingOperators(all: readonly FleetOperator[]): FleetOperator[] {
  const acting = new Map<string, FleetOperator>();
  for (const operator of all) {
    const known = acting.get(placeOf(operator));
    if (known === undefined || ageOf(operator.metadata) < ageOf(known.metadata))
      acting.set(placeOf(operator), operator);
  }
  return [...acting.values()];
}
