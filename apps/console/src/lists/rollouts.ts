import { runningBundle } from '#core/view/questions/running-bundle';
import type { FleetRolloutRow } from '#core/view/rows/rollout-row';
import type { ViewReader } from '#platform/view/view-store.port';
import type { RolloutDetail, RolloutSummary } from '../api/lists.schema.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import type { LiveRows } from '../rows/live-rows.js';
import { byText } from '../rows/sorted-rows.js';
import type { Person } from '../sign-in/person.js';
import { derivedRollouts, failuresOf, isMoving } from './derived-rollouts.js';
import { rolloutDetail } from './rollout-detail.js';
import { type Seeing, seenHistory } from './seen-history.js';

type Seen = Readonly<{ rows: FleetRows; reader: Pick<ViewReader, 'rollouts'>; person: Pick<Person, 'rights'> }>;

const byTime = (a: RolloutSummary, b: RolloutSummary): number =>
  Number(isMoving(b)) - Number(isMoving(a)) ||
  byText(b.finishedAt || b.startedAt, a.finishedAt || a.startedAt) ||
  byText(a.id, b.id);

/**
 * Returns the fleet's rollouts, and those derived from the clusters if no FleetRollout leads. Those that
 * have not ended are first, the newest first. A rollout counts clusters of the whole fleet: people who see a
 * part of it get rollouts derived from that part.
 */
export async function rolloutsSeenBy({ rows, reader, person }: Seen): Promise<RolloutSummary[]> {
  const led = person.rights.unbounded ? await reader.rollouts() : [];
  const isLed = ({ package: name, target }: RolloutSummary): boolean =>
    led.some((one) => one.package === name && one.target === target);
  const derived = derivedRollouts(rows).filter((one) => !isLed(one));
  return [...led.map((one) => summaryOf(one, rows)), ...derived].toSorted(byTime);
}

/** Returns one rollout with its decisions and its pace. */
export async function rolloutSeenBy(
  context: Seen & Seeing & Readonly<{ reader: ViewReader; view: Pick<LiveRows, 'asOf'> }>,
  id: string,
): Promise<RolloutDetail | undefined> {
  const found = (await rolloutsSeenBy(context)).find((one) => one.id === id);
  if (found === undefined) return undefined;
  const history = await seenHistory(context);
  const now = context.view.asOf;
  const unfinished = unfinishedClusters(found, context.rows);
  if (found.derived) return rolloutDetail(found, { history, now, unfinished });
  const row = (await context.reader.rollouts()).find((one) => one.id === id);
  const led = { decisions: row?.decisions, more: row?.moreDecisions ?? 0, paths: row?.paths };
  return rolloutDetail(found, { led, history, now, unfinished });
}

function summaryOf(row: FleetRolloutRow, { operatorsByPackage }: FleetRows): RolloutSummary {
  const own = operatorsByPackage.filter((one) => one.package === row.package && runningBundle(one) !== row.target);
  const {
    failures: told,
    decisions: _decisions,
    moreDecisions: _more,
    paths: _paths,
    packageKnown: _known,
    ...rest
  } = row;
  const known = told.map(({ sample, ...one }) => ({ ...one, examples: sample }));
  // A controller of an earlier release says nothing of failures.
  const failures = known.length > 0 || row.finishedAt !== '' ? known : failuresOf(own);
  return { ...rest, withdrawn: rest.withdrawn === true, derived: false, failures };
}

/** Returns the clusters that name the target as installed and do not run it. */
const unfinishedClusters = ({ target, package: name }: RolloutSummary, rows: FleetRows): ReadonlySet<string> =>
  new Set(
    rows.operatorsByPackage
      .filter((row) => row.package === name && row.installed === target && runningBundle(row) !== target)
      .map(({ cluster }) => cluster),
  );
