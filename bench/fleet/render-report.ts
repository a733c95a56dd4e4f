import type { FleetMeasures } from './measure-fleet.js';

/** Renders two Markdown tables: the events, and the usage of each process for them. */
export function renderReport(measured: FleetMeasures): string {
  const { clusters, installSeconds, requests, resolve, idle } = measured;
  const at = (share: number) =>
    installSeconds[Math.min(installSeconds.length - 1, Math.floor(installSeconds.length * share))];
  const each = (n: number) => (n / clusters).toFixed(1);
  const facts: readonly (readonly [string, string])[] = [
    ['clusters', String(clusters)],
    ['operators installed', `${measured.succeeded} of ${clusters} clusters`],
    ['InstallPlans beyond one a cluster', String(measured.surplusPlans)],
    ['all clusters watched, catalogs READY', `${measured.joinedSeconds.toFixed(1)} s`],
    [
      'installed: first / half / last cluster',
      `${seconds(at(0))} / ${seconds(at(0.5))} / ${seconds(installSeconds.at(-1))}`,
    ],
    [
      'solves (distinct problems)',
      `${resolve.solves} (${resolve.distinct}), ${Math.round(resolve.solveMs)} ms together`,
    ],
    ['apply jobs', `${measured.applyJobs} (${each(measured.applyJobs)} a cluster)`],
    ['API requests', `${each(requests.reads)} reads and ${each(requests.writes)} writes a cluster`],
    [
      'poller started anew, nothing changed',
      `${idle.applyJobs} apply jobs in ${seconds(idle.seconds)}; ${each(idle.reads)} reads a cluster, ${idle.writes} writes in all`,
    ],
  ];
  const used = measured.processes.map(({ name, afterJoin, afterInstall, usage }) => [
    name,
    cpu(afterJoin?.cpuSeconds),
    cpu(afterInstall && afterJoin && afterInstall.cpuSeconds - afterJoin.cpuSeconds),
    usage === undefined ? 'unknown' : `${Math.round(Math.max(usage.peakMiB, afterInstall?.peakMiB ?? 0))} MiB`,
  ]);
  return `${table(['what', 'measured'], facts)}\n${table(['process', 'CPU until watched', 'CPU for the install', 'peak memory'], used)}`;
}

const seconds = (value: number | undefined): string => (value === undefined ? 'never' : `${value.toFixed(1)} s`);
const cpu = (value: number | undefined): string => (value === undefined ? 'unknown' : `${value.toFixed(1)} s`);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
