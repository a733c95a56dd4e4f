import type { FleetRolloutRow } from '#core/view/rows/rollout-row';
import type { ViewReader } from '#platform/view/view-store.port';
import type { RolloutDetail, RolloutSummary } from '../api/lists.schema.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import type { LiveRows } from '../rows/live-rows.js';
import type { Person } from '../sign-in/person.js';
import { derivedRollouts, failuresOf } from './derived-rollouts.js';
import { rolloutDetail } from './rollout-detail.js';
import { type Seeing, seenHistory } from './seen-history.js';

type Seen = Readonly<{ rows: FleetRows; reader: Pick<ViewReader, 'rollouts'>; person: Pick<Person, 'rights'> }>;

/**
 * Returns the fleet's roll-outs, and those derived from the clusters if no FleetRollout leads. A roll-out
 * counts clusters of the whole fleet: people who see a part of it get roll-outs derived from that part.
 */
export async function rolloutsSeenBy({ rows, reader, person }: Seen): Promise<RolloutSummary[]> {
  const led = person.rights.unbounded ? await reader.rollouts() : [];
  const isLed = ({ package: name, target }: RolloutSummary): boolean =>
    led.some((one) => one.package === name && one.target === target);
  return [...led.map((one) => summaryOf(one, rows)), ...derivedRollouts(rows).filter((one) => !isLed(one))];
}

/** Returns one roll-out with its decisions and its pace. */
export async function rolloutSeenBy(
  context: Seen & Seeing & Readonly<{ reader: ViewReader; view: Pick<LiveRows, 'asOf'> }>,
  id: string,
): Promise<RolloutDetail | undefined> {
  const found = (await rolloutsSeenBy(context)).find((one) => one.id === id);
  if (found === undefined) return undefined;
  const history = await seenHistory(context);
  const now = context.view.asOf;
  if (found.derived) return rolloutDetail(found, { history, now });
  const row = (await context.reader.rollouts()).find((one) => one.id === id);
  const led = { decisions: row?.decisions, more: row?.moreDecisions ?? 0, paths: row?.paths };
  return rolloutDetail(found, { led, history, now });
}

function summaryOf(row: FleetRolloutRow, { operatorsByPackage }: FleetRows): RolloutSummary {
  const own = operatorsByPackage.filter((one) => one.package === row.package && one.installed !== row.target);
  const { failures: told, decisions: _decisions, moreDecisions: _more, paths: _paths, ...rest } = row;
  const known = told.map(({ sample, ...one }) => ({ ...one, examples: sample }));
  // A controller of an earlier release says nothing of failures.
  const failures = known.length > 0 || row.finishedAt !== '' ? known : failuresOf(own);
  return { ...rest, withdrawn: rest.withdrawn === true, derived: false, failures };
}

export const isMoving = ({ finishedAt }: RolloutSummary): boolean => finishedAt === '';
