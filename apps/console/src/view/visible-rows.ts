import { type LabelsOf, type Rights, wholeCluster } from '#core/fleet/console-rights/rights';
import { urgency } from '#core/fleet/diagnosis/diagnosis';
import type { ClusterRow, OperatorRow, ViewRow } from '#core/fleet/view/rows';
import type { FleetRows } from './fleet-rows.js';
import type { LiveRows } from './live-rows.js';

/** The labels of clusters, as their rows have them. */
export const labelsIn =
  (view: Pick<LiveRows, 'row'>): LabelsOf =>
  (cluster) => {
    const row = view.row(cluster, 'cluster');
    return row?.kind === 'cluster' ? row.labels : {};
  };

/** A cluster of which a person sees a part: its sums are those of what they see. */
function partOf(row: ClusterRow, operators: readonly OperatorRow[]): ClusterRow {
  const counts = { failed: 0, blocked: 0, 'needs-approval': 0, 'under-way': 0, well: 0 };
  let worst: OperatorRow | undefined;
  for (const operator of operators) {
    counts[operator.standing] += 1;
    if (worst === undefined || urgency(operator.standing) < urgency(worst.standing)) worst = operator;
  }
  const { cause: whole, ...rest } = row;
  // That it does not answer is about all who see a part of it.
  if (whole?.kind === 'Cluster') return { ...row, counts, upgradeBlockers: [] };
  const shown = { ...rest, counts, standing: worst?.standing ?? ('well' as const), upgradeBlockers: [] };
  return worst?.cause === undefined ? shown : { ...shown, cause: worst.cause };
}

/** The rows that a person may see; every list, sum and search stands on these. */
export function visibleRows(view: Pick<LiveRows, 'row' | 'rows'>, rights: Rights): FleetRows {
  const { rows } = view;
  if (rights.unbounded) return rows;
  const labels = labelsIn(view);
  const seen = <R extends ViewRow>(list: readonly R[]) => list.filter((row) => rights.sees(row, labels));
  const operators = seen(rows.operators);
  const ofCluster = Map.groupBy(operators, ({ cluster }) => cluster);
  const clusters = seen(rows.clusters).map((row) => {
    const seesAll = rights.may('viewer', wholeCluster(row.cluster), labels);
    return seesAll ? row : partOf(row, ofCluster.get(row.cluster) ?? []);
  });
  return {
    clusters,
    operators,
    operatorsByCluster: seen(rows.operatorsByCluster),
    operatorsByPackage: seen(rows.operatorsByPackage),
    plans: seen(rows.plans),
    catalogs: seen(rows.catalogs),
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
