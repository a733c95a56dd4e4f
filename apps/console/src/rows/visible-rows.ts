import { urgency } from '#core/cluster/diagnosis/diagnosis';
import { type LabelsOf, type Rights, wholeCluster } from '#core/view/rights/rights';
import { isCatalogReady } from '#core/view/rows/cluster-row';
import type { CatalogRow, ClusterRow, OperatorRow, ViewRow } from '#core/view/rows/rows';
import type { FleetRows } from './fleet-rows.js';
import type { LiveRows } from './live-rows.js';

/** The labels of clusters, as their rows have them. */
export const labelsIn =
  (view: Pick<LiveRows, 'row'>): LabelsOf =>
  (cluster) => {
    const row = view.row(cluster, 'cluster');
    return row?.kind === 'cluster' ? row.labels : {};
  };

/**
 * Removes the reason from a cluster that the hub does not use: it may name another cluster, such as one with
 * the same identity.
 */
function withoutOthers(row: ClusterRow): ClusterRow {
  if (row.cause?.code !== 'cluster-refused') return row;
  const text = 'The hub does not use this cluster in its present state. Its administrators can see the cause.';
  return { ...row, cause: { ...row.cause, text } };
}

type Seen = Readonly<{ operators: readonly OperatorRow[]; catalogs: readonly CatalogRow[] }>;

/** Returns the row of a cluster that a person sees a part of, with sums over that part only. */
function partOf(row: ClusterRow, { operators, catalogs: seen }: Seen): ClusterRow {
  const counts = { failed: 0, blocked: 0, 'needs-approval': 0, 'under-way': 0, well: 0 };
  let worst: OperatorRow | undefined;
  for (const operator of operators) {
    counts[operator.standing] += 1;
    if (worst === undefined || urgency(operator.standing) < urgency(worst.standing)) worst = operator;
  }
  const catalogs = { catalogs: seen.length, catalogsWell: seen.filter(isCatalogReady).length };
  const { cause: whole, ...rest } = row;
  // A cluster that does not answer matters to all people who see a part of it.
  if (whole?.kind === 'Cluster') return { ...row, ...catalogs, counts, upgradeBlockers: [] };
  const shown = { ...rest, ...catalogs, counts, standing: worst?.standing ?? ('well' as const), upgradeBlockers: [] };
  return worst?.cause === undefined ? shown : { ...shown, cause: worst.cause };
}

const byCluster = <R extends ViewRow>(rows: readonly R[]): ReadonlyMap<string, R[]> =>
  Map.groupBy(rows, ({ cluster }) => cluster);

/** The rows that a person may see; every list, sum and search stands on these. */
function visibleRows(view: Pick<LiveRows, 'row' | 'rows'>, rights: Rights): FleetRows {
  const { rows } = view;
  if (rights.unbounded) return rows;
  const labels = labelsIn(view);
  const seen = <R extends ViewRow>(list: readonly R[]) => list.filter((row) => rights.sees(row, labels));
  const operators = seen(rows.operators);
  const catalogs = seen(rows.catalogs);
  const [operatorsOf, catalogsOf] = [byCluster(operators), byCluster(catalogs)];
  const clusters = seen(rows.clusters).map((whole) => {
    const row = withoutOthers(whole);
    if (rights.may('viewer', wholeCluster(row.cluster), labels)) return row;
    const { cluster } = row;
    return partOf(row, { operators: operatorsOf.get(cluster) ?? [], catalogs: catalogsOf.get(cluster) ?? [] });
  });
  return {
    clusters,
    operators,
    operatorsByCluster: seen(rows.operatorsByCluster),
    operatorsByPackage: seen(rows.operatorsByPackage),
    plans: seen(rows.plans),
    catalogs,
  };
}

const KEPT_RIGHTS = 50;

/** {@link visibleRows}, kept for people with equal rights until rows change. */
export class VisibleRows {
  readonly #kept = new Map<string, FleetRows>();
  #version = -1;

  constructor(private readonly view: LiveRows) {}

  of(rights: Rights): FleetRows {
    if (this.#version !== this.view.version) this.#kept.clear();
    this.#version = this.view.version;
    const kept = this.#kept.get(rights.key);
    if (kept !== undefined) return kept;
    const rows = visibleRows(this.view, rights);
    if (this.#kept.size < KEPT_RIGHTS) this.#kept.set(rights.key, rows);
    return rows;
  }
}
