import { urgency } from '#core/cluster/diagnosis/diagnosis';
import type { CatalogRow, ClusterRow, OperatorRow, PlanRow, ViewRow } from '#core/view/rows/rows';
import { byText, type RowOrder, SortedRows } from './sorted-rows.js';

/** Rows as they lie in memory, sorted. */
export type FleetRows = Readonly<{
  clusters: readonly ClusterRow[];
  operators: readonly OperatorRow[];
  operatorsByCluster: readonly OperatorRow[];
  operatorsByPackage: readonly OperatorRow[];
  plans: readonly PlanRow[];
  catalogs: readonly CatalogRow[];
}>;

const sameOrder: RowOrder<ViewRow> = (a, b) => byText(a.cluster, b.cluster) || byText(a.id, b.id);
const urgentFirst = (a: Pick<ClusterRow, 'standing'>, b: Pick<ClusterRow, 'standing'>) =>
  urgency(a.standing) - urgency(b.standing);

/** Order of clusters: unreachable before well, as nothing is known of the unreachable ones. */
const REACH_RANK = { refused: 0, away: 0, stale: 1, 'left-to-olm': 2, fresh: 2 } as const;

const clusterOrder: RowOrder<ClusterRow> = (a, b) =>
  urgentFirst(a, b) || REACH_RANK[a.reach] - REACH_RANK[b.reach] || sameOrder(a, b);
const operatorOrder: RowOrder<OperatorRow> = (a, b) =>
  urgentFirst(a, b) || byText(a.package, b.package) || sameOrder(a, b);
const packageOrder: RowOrder<OperatorRow> = (a, b) => byText(a.package, b.package) || sameOrder(a, b);
const planOrder: RowOrder<PlanRow> = (a, b) =>
  Number(a.approved) - Number(b.approved) || byText(a.createdAt, b.createdAt) || sameOrder(a, b);
const catalogOrder: RowOrder<CatalogRow> = (a, b) => urgentFirst(a, b) || byText(a.name, b.name) || sameOrder(a, b);

/** Every order that a page shows without asking for another. */
export class FleetOrders {
  readonly #clusters: SortedRows<ClusterRow>;
  readonly #operators: readonly SortedRows<OperatorRow>[];
  readonly #plans: SortedRows<PlanRow>;
  readonly #catalogs: SortedRows<CatalogRow>;

  constructor(rows: readonly ViewRow[] = []) {
    const of = <K extends ViewRow['kind']>(kind: K) =>
      rows.filter((row): row is Extract<ViewRow, { kind: K }> => row.kind === kind);
    this.#clusters = new SortedRows(clusterOrder, of('cluster'));
    const operators = of('operator');
    this.#operators = [operatorOrder, sameOrder, packageOrder].map((order) => new SortedRows(order, operators));
    this.#plans = new SortedRows(planOrder, of('plan'));
    this.#catalogs = new SortedRows(catalogOrder, of('catalog'));
  }

  change(row: ViewRow, how: 'add' | 'remove'): void {
    if (row.kind === 'cluster') this.#clusters[how](row);
    else if (row.kind === 'plan') this.#plans[how](row);
    else if (row.kind === 'catalog') this.#catalogs[how](row);
    else for (const order of this.#operators) order[how](row);
  }

  get rows(): FleetRows {
    const [operators, byCluster, byPackage] = this.#operators.map((order) => order.rows);
    return {
      clusters: this.#clusters.rows,
      operators: operators ?? [],
      operatorsByCluster: byCluster ?? [],
      operatorsByPackage: byPackage ?? [],
      plans: this.#plans.rows,
      catalogs: this.#catalogs.rows,
    };
  }
}
