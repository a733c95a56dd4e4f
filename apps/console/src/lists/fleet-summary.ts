import { urgency } from '#core/cluster/diagnosis/diagnosis';
import type { FleetSummary } from '../api/lists.schema.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import { causeGroups } from './causes.js';
import { furthestBehind, packageSpreads } from './packages.js';
import { planClasses } from './plan-classes.js';

const MOST_CAUSES = 20;
const MOST_PACKAGES = 10;

/**
 * Counts operators by status. They are sorted by urgency: the begin of each status is searched, and not every
 * row is read.
 */
function countsOf(operators: FleetRows['operators']): FleetSummary['counts'] {
  const counts = { failed: 0, blocked: 0, 'needs-approval': 0, 'under-way': 0, well: 0 };
  const rankAt = (at: number): number => urgency(operators[at]?.standing ?? 'well');
  for (let begin = 0; begin < operators.length; ) {
    let [low, high] = [begin, operators.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (rankAt(middle) <= rankAt(begin)) low = middle + 1;
      else high = middle;
    }
    counts[operators[begin]?.standing ?? 'well'] += low - begin;
    begin = low;
  }
  return counts;
}

/** The first page in one answer. */
export function fleetSummary(rows: FleetRows): Omit<FleetSummary, 'asOf' | 'filling' | 'rollouts'> {
  const counts = countsOf(rows.operators);
  const reach = { fresh: 0, stale: 0, away: 0, 'left-to-olm': 0, refused: 0 };
  for (const cluster of rows.clusters) reach[cluster.reach] += 1;
  const causes = causeGroups(rows);
  const classes = planClasses(rows.plans);
  return {
    counts,
    reach,
    clusters: rows.clusters.length,
    operators: rows.operators.length,
    causes: causes.slice(0, MOST_CAUSES),
    moreCauses: Math.max(0, causes.length - MOST_CAUSES),
    behind: furthestBehind(packageSpreads(rows), MOST_PACKAGES).filter((one) => one.upToDate < one.operators),
    unwellClusters: rows.clusters.filter(({ standing }) => standing !== 'well').length,
    approvals: { classes: classes.length, plans: classes.reduce((sum, { plans }) => sum + plans, 0) },
  };
}
