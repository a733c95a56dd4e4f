import type { FleetRolloutRow } from '#core/fleet/view/rollout-row';
import type { ViewReader } from '#platform/view/view-store.port';
import type { RolloutSummary } from '../api/lists.schema.js';
import type { Person } from '../sign-in/person.js';
import { derivedRollouts, failuresOf } from './derived-rollouts.js';
import type { FleetRows } from './fleet-rows.js';

type Seen = Readonly<{ rows: FleetRows; reader: Pick<ViewReader, 'rollouts'>; person: Pick<Person, 'rights'> }>;

/**
 * The fleet's roll-outs, and those that follow from the clusters where no FleetRollout leads. A roll-out
 * counts clusters of the whole fleet: who sees a part of it sees what follows from that part.
 */
export async function rolloutsSeenBy({ rows, reader, person }: Seen): Promise<RolloutSummary[]> {
  const led = person.rights.unbounded ? await reader.rollouts() : [];
  const isLed = ({ package: name, target }: RolloutSummary): boolean =>
    led.some((one) => one.package === name && one.target === target);
  return [...led.map((one) => summaryOf(one, rows)), ...derivedRollouts(rows).filter((one) => !isLed(one))];
}

function summaryOf(row: FleetRolloutRow, { operatorsByPackage }: FleetRows): RolloutSummary {
  const own = operatorsByPackage.filter((one) => one.package === row.package && one.installed !== row.target);
  return { ...row, derived: false, failures: row.finishedAt === '' ? failuresOf(own) : [] };
}

export const isMoving = ({ finishedAt }: RolloutSummary): boolean => finishedAt === '';
