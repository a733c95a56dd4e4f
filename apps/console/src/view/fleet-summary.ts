import type { FleetSummary } from '../api/lists.schema.js';
import { causeGroups } from './causes.js';
import { derivedRollouts } from './derived-rollouts.js';
import type { FleetRows } from './fleet-rows.js';
import { furthestBehind, packageSpreads } from './packages.js';
import { planClasses } from './plan-classes.js';

const MOST_CAUSES = 20;
const MOST_PACKAGES = 10;

/** The first page in one answer. */
export function fleetSummary(rows: FleetRows): Omit<FleetSummary, 'asOf' | 'filling'> {
  const counts = { failed: 0, blocked: 0, 'needs-approval': 0, 'under-way': 0, well: 0 };
  for (const { standing } of rows.operators) counts[standing] += 1;
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
    unwellClusters: rows.clusters.filter(({ standing, reach: how }) => standing !== 'well' || how === 'away').length,
    approvals: { classes: classes.length, plans: classes.reduce((sum, { plans }) => sum + plans, 0) },
    rollouts: derivedRollouts(rows).length,
  };
}
