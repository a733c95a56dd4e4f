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
  const { failures: told, ...rest } = row;
  const known = told.map(({ sample, ...one }) => ({ ...one, examples: sample }));
  // A controller of an earlier release says nothing of failures.
  const failures = known.length > 0 || row.finishedAt !== '' ? known : failuresOf(own);
  return { ...rest, derived: false, failures };
}

export const isMoving = ({ finishedAt }: RolloutSummary): boolean => finishedAt === '';
