import type { Seen } from './seen-objects.js';

type ClusterSummary = Readonly<{ cluster: string; seen: Seen }>;

/** The end of the story as a table: one row per cluster and operator. */
export function renderSummary(clusters: readonly ClusterSummary[], upgradedBy: (cluster: string) => string): string {
  const header = ['CLUSTER', 'OPERATOR', 'PHASE', 'SUBSCRIPTION', 'APPROVAL', 'PLANS', 'DONE AFTER'];
  const rows = clusters.flatMap(({ cluster, seen }) =>
    seen.csvs.map(({ metadata, status }) => {
      const subscription = seen.subscriptions.find((one) => one.status?.installedCSV === metadata.name);
      return [
        cluster,
        metadata.name ?? '',
        status?.phase ?? '',
        `${subscription?.spec.name ?? '-'} ${subscription?.status?.state ?? ''}`,
        subscription?.spec.installPlanApproval ?? 'Automatic',
        String(seen.plans.filter((plan) => plan.status?.phase === 'Complete').length),
        upgradedBy(cluster),
      ];
    }),
  );
  return table([header, ...rows]);
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return `${rows.map((row) => line(row).trimEnd()).join('\n')}\n`;
}
