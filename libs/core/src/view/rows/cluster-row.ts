import type { KnownLogin } from '../../cluster/advice/command-in.js';
import { type HealthState, urgency } from '../../cluster/diagnosis/diagnosis.js';
import { reachTrouble, TROUBLE_TODO } from './reach-trouble.js';
import { rowText } from './row-text.js';
import type { CatalogRow, ClusterRow, Reach, RowCause, ViewRow } from './rows.js';

/** The answers of a cluster, as its poller sees them. */
export type ClusterSigns = Readonly<{
  cluster: string;
  /** The context with which people reach it, and its file. Absent if none is known. */
  login?: KnownLogin | undefined;
  version: string;
  reach: Reach;
  /** The reason why it is not fresh. Empty if it is. */
  problem: string;
  /** RFC 3339; empty: never. */
  lastSeen: string;
  paused: boolean;
  /** Labels of its FleetCluster. Absent: none. */
  labels?: Readonly<Record<string, string>>;
}>;

/** The parts of another row that a cluster row sums up. `isReady`: true if a catalog serves content. */
export type SummedRow = Readonly<{
  kind: ViewRow['kind'];
  standing: HealthState;
  cause?: RowCause | undefined;
  isReady?: boolean | undefined;
}>;

const SERVING: ReadonlySet<string> = new Set(['READY', 'IDLE', 'Serving']);

/** True if a catalog has a valid spec and content to serve, as `flotilla status` counts it. */
export const isCatalogReady = ({ state, cause }: Pick<CatalogRow, 'state' | 'cause'>): boolean =>
  SERVING.has(state) && cause?.code !== 'catalog-spec-invalid';

/** Standing of clusters that do not answer, or are not used: nothing there is known to be healthy. */
const STANDING_OF_REACH: Readonly<Partial<Record<Reach, HealthState>>> = { away: 'failed', refused: 'blocked' };

/**
 * Returns the row of a cluster with counts: the worst standing of its rows, or that it does not answer. Sums
 * are only over its rows.
 */
export function clusterRow(facts: ClusterSigns, rows: Iterable<SummedRow>, now: string): ClusterRow {
  const counts = { failed: 0, blocked: 0, 'needs-approval': 0, 'under-way': 0, well: 0 };
  let worst: SummedRow = { kind: 'cluster', standing: STANDING_OF_REACH[facts.reach] ?? 'well' };
  let [catalogs, catalogsWell] = [0, 0];
  for (const row of rows) {
    if (row.kind === 'operator') counts[row.standing] += 1;
    else if (row.kind === 'catalog') {
      catalogs += 1;
      if (row.isReady === true) catalogsWell += 1;
    } else continue;
    if (urgency(row.standing) < urgency(worst.standing)) worst = row;
  }
  const { cluster, login, version, reach, lastSeen, paused, labels = {} } = facts;
  const cause = unreached(facts) ?? worst.cause;
  return {
    ...{ kind: 'cluster', id: 'cluster', cluster, updatedAt: now, labels, version: rowText(version), reach },
    ...{ since: now, lastSeen, standing: worst.standing },
    ...(cause !== undefined && { cause }),
    ...login,
    ...{ counts, catalogsWell, catalogs, paused, upgradeBlockers: [] },
  };
}

/** Returns the cause of a cluster that cannot be reached. It takes precedence over the last seen causes. */
function unreached({ cluster, reach, problem }: ClusterSigns): RowCause | undefined {
  if (reach === 'fresh') return undefined;
  const text = rowText(problem === '' ? TEXTS[reach] : reasonOf(problem, cluster));
  const trouble = reach === 'away' ? reachTrouble(text) : undefined;
  const own = { code: `cluster-${reach}`, kind: 'Cluster', text };
  return trouble === undefined ? { ...own, names: [] } : { ...own, names: [trouble], todo: TROUBLE_TODO[trouble] };
}

/** Matches the reason in an error of a cluster, after its name, its address and the request. */
const REASON = /^(?: at \S+)?: (?:[a-z][^:"]*: )?(.+)$/s;

function reasonOf(problem: string, cluster: string): string {
  const subject = `cluster "${cluster}"`;
  const found = problem.startsWith(subject) ? REASON.exec(problem.slice(subject.length))?.[1] : undefined;
  const said = found === undefined ? problem : `The cluster cannot be reached: ${found}`;
  return said.replaceAll(subject, 'this cluster').replaceAll(cluster, 'this cluster');
}

const TEXTS: Readonly<Record<Exclude<Reach, 'fresh'>, string>> = {
  stale: 'A watch of the cluster is broken.',
  away: 'The cluster cannot be reached.',
  'left-to-olm': 'OLM itself or another hub manages the cluster.',
  refused: 'The cluster is not used in its present state.',
};
