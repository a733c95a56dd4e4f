import { runningBundle } from '#core/view/questions/running-bundle';
import type { OperatorRow } from '#core/view/rows/rows';
import type { RolloutSummary } from '../api/lists.schema.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import { byText } from '../rows/sorted-rows.js';
import { causeKey, type RowColumns } from './filter.js';

export const rolloutColumns: RowColumns<RolloutSummary> = {
  package: (row) => row.package,
  phase: (row) => row.phase,
  since: (row) => row.startedAt,
  startedAt: (row) => row.startedAt,
  id: (row) => row.id,
  moving: (row) => String(isMoving(row)),
};

/** True if the rollout has not ended. */
export const isMoving = ({ finishedAt }: Pick<RolloutSummary, 'finishedAt'>): boolean => finishedAt === '';

const MOST_FAILURES = 10;
const MOST_EXAMPLES = 5;

const stops = ({ standing }: OperatorRow): boolean => standing === 'failed' || standing === 'blocked';

export function failuresOf(members: readonly OperatorRow[]): RolloutSummary['failures'] {
  return [...Map.groupBy(members.filter(stops), causeKey).values()]
    .map((own) => ({
      reason: '',
      cause: own[0]?.cause?.text ?? '',
      clusters: new Set(own.map(({ cluster }) => cluster)).size,
      examples: [...new Set(own.map(({ cluster }) => cluster))].slice(0, MOST_EXAMPLES),
    }))
    .toSorted((a, b) => b.clusters - a.clusters || byText(a.cause, b.cause))
    .slice(0, MOST_FAILURES);
}

function rolloutOf(name: string, target: string, under: readonly OperatorRow[], done: readonly OperatorRow[]) {
  const is = (standing: OperatorRow['standing']) => under.filter((row) => row.standing === standing).length;
  const failed = under.filter(stops).length;
  const waiting = is('needs-approval');
  const underWay = under.length - failed - waiting;
  const phase = underWay > 0 ? 'Progressing' : waiting > 0 ? 'WaitingForApproval' : 'Stopped';
  const reason = waiting > 0 ? `${waiting} wait for approval` : failed > 0 ? `${failed} are stuck` : '';
  const startedAt = under.map(({ since }) => since).toSorted(byText)[0] ?? '';
  const members = under.length + done.length;
  const wave = {
    ...{ name: 'all', phase, members, done: done.length, underWay, waiting, skipped: 0, failed, note: reason },
    ...{ openedAt: startedAt, completedAt: '', soakUntil: '', deadline: '', code: '', soak: '', gates: [] },
  };
  return {
    ...{
      id: `${name}@${target}`,
      derived: true,
      package: name,
      target,
      phase,
      reason,
      code: '',
      message: '',
      withdrawn: false,
    },
    ...{ startedAt, finishedAt: '', classes: [] },
    waves: [wave],
    failures: failuresOf(under),
  };
}

/** Without objects of rollouts: one package, one bundle, all clusters that are on their way to it. */
export function derivedRollouts({ operatorsByPackage }: FleetRows): RolloutSummary[] {
  const rollouts: RolloutSummary[] = [];
  const isOnItsWay = ({ next, installed }: OperatorRow) => next !== '' && next !== installed;
  // Nearly all packages rest, and a fleet has many rows.
  const onTheirWay = new Set(operatorsByPackage.filter(isOnItsWay).map((row) => row.package));
  if (onTheirWay.size === 0) return [];
  const ofThese = operatorsByPackage.filter((row) => onTheirWay.has(row.package));
  for (const [name, rows] of Map.groupBy(ofThese, (row) => row.package)) {
    for (const [target, coming] of Map.groupBy(rows.filter(isOnItsWay), ({ next }) => next)) {
      const there = rows.filter(({ installed }) => installed === target);
      const done = there.filter((row) => runningBundle(row) === target);
      const begun = there.filter((row) => runningBundle(row) !== target);
      rollouts.push(rolloutOf(name, target, [...coming, ...begun], done));
    }
  }
  return rollouts.toSorted((a, b) => byText(b.startedAt, a.startedAt) || byText(a.id, b.id));
}
