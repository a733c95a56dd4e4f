import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { csvName, isCopied } from '../../kernel/api/csv-facts.js';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import { leftOf } from '../../kernel/durations/left-of.js';

/** Longest time for a CSV to come up before its installation times out (spec: csv-lifecycle.md §3). */
const TAKE_OVER_MS = 5 * 60_000;

/**
 * Milliseconds for which a namespace needs no resolution because a CSV is taking over from the one it
 * replaces; undefined if none is. While both exist no resolution can succeed: no Subscription refers to the
 * old one any more, and both are of one package (spec: subscriptions.md, edge cases). OLM, being slower, is
 * seldom seen to report that. If an upgrade gets stuck it does, and so does Flotilla: at once when the plan
 * has failed, otherwise after the time an installation may take. Fail-forward groups resolve past CSVs that
 * are being replaced, and never wait.
 */
export function upgradeUnderWayMs(
  csvs: readonly ClusterServiceVersion[],
  plans: readonly InstallPlan[],
  now: Date,
): number | undefined {
  const own = csvs.filter((csv) => !isCopied(csv));
  const names = new Set(own.map(csvName));
  const failed = new Set(
    plans.filter(({ status }) => status?.phase === 'Failed').flatMap(({ spec }) => spec.clusterServiceVersionNames),
  );
  const left = own
    .filter((csv) => names.has(csv.spec.replaces ?? '') && csv.spec.replaces !== csvName(csv))
    .filter((csv) => !failed.has(csvName(csv)))
    .map((csv) => leftOf(TAKE_OVER_MS, Date.parse(csv.metadata.creationTimestamp ?? ''), now.getTime()))
    .filter((ms) => ms > 0);
  return left.length === 0 ? undefined : Math.max(...left);
}
