import { type Columns, table } from '../../output/table.js';
import type { Seen } from './seen-objects.js';

type ClusterSummary = Readonly<{ cluster: string; seen: Seen }>;
type Row = ClusterSummary & Readonly<{ csv: Seen['csvs'][number] }>;

const subscriptionOf = ({ seen, csv }: Row) =>
  seen.subscriptions.find((one) => one.status?.installedCSV === csv.metadata.name);

/** The end of the story as a table: one row per cluster and operator. */
export function renderSummary(clusters: readonly ClusterSummary[], upgradedBy: (cluster: string) => string): string {
  const columns: Columns<Row> = [
    ['CLUSTER', ({ cluster }) => cluster],
    ['OPERATOR', ({ csv }) => csv.metadata.name ?? ''],
    ['PHASE', ({ csv }) => csv.status?.phase ?? ''],
    ['SUBSCRIPTION', (row) => `${subscriptionOf(row)?.spec.name ?? '-'} ${subscriptionOf(row)?.status?.state ?? ''}`],
    ['APPROVAL', (row) => subscriptionOf(row)?.spec.installPlanApproval ?? 'Automatic'],
    ['PLANS', ({ seen }) => String(seen.plans.filter((plan) => plan.status?.phase === 'Complete').length)],
    ['DONE AFTER', ({ cluster }) => upgradedBy(cluster)],
  ];
  const rows = clusters.flatMap((one) => one.seen.csvs.map((csv) => ({ ...one, csv })));
  return table(rows, columns);
}
