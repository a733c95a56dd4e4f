import type { Usage } from '../fleet/process-usage.js';
import { cpuOf, requestsOf } from './fleet-figures.js';
import type { FleetStep, UpgradeMeasures } from './measure-upgrade.js';
import { jobsOf, ofAllQueues, waitQuantile, waitsBetween } from './queue-waits.js';

export type Row = readonly string[];

const COMMANDS_SHOWN = 12;

/** Markdown tables: times, the services, the simulator, the queues. */
export function renderUpgrade(measures: UpgradeMeasures): string {
  return [
    times(measures),
    processes(measures),
    queues(measures),
    commands(measures),
    atRest(measures),
    kinds(measures),
  ].join('\n');
}

function times(measures: UpgradeMeasures): string {
  const { size, join, install, upgrade, idle, endState, solves } = measures;
  const each = size.clusters * size.operators;
  const steps = { join, install, upgrade };
  const rows = Object.entries(steps).map(([name, step]) => [
    name,
    ...[0, 0.5, 0.99, 1].map((share) => seconds(quantile(step, share, size.clusters))),
    seconds(step.seconds),
    (requestsOf('reads', step) / each).toFixed(1),
    (requestsOf('writes', step) / each).toFixed(1),
    (commandsOf(step) / each).toFixed(0),
    (allCpu(step) / each).toFixed(4),
  ]);
  const head = ['step', 'first', 'half', '99 %', 'last', 'until quiet', 'reads', 'writes', 'Redis commands', 'CPU s'];
  const minutes = idle.seconds / 60;
  const facts: readonly Row[] = [
    ['clusters × operators', `${size.clusters} × ${size.operators}`],
    ['Succeeded at the end', `${endState.succeeded} of ${each}`],
    ['solves (distinct problems)', `${solves.total} (${solves.distinct})`],
    [
      'idle: reads, writes, Redis commands a minute',
      [requestsOf('reads', idle) / minutes, requestsOf('writes', idle) / minutes, commandsOf(idle) / minutes]
        .map((value) => value.toFixed(0))
        .join(', '),
    ],
    [
      'Redis: memory at the start, and after join, install, upgrade, idle',
      [join.before, join.after, install.after, upgrade.after, idle.after]
        .map(({ redis }) => `${redis.mebibytes.toFixed(2)} MiB`)
        .join(', '),
    ],
    ['Redis: keys and connections at the end', `${idle.after.redis.keys}, ${idle.after.redis.connections}`],
  ];
  return `${table(['what', 'measured'], facts)}\nTimes of clusters; requests, commands and CPU for each operator of each cluster:\n\n${table(head, rows)}`;
}

function processes(measures: UpgradeMeasures): string {
  const { join, install, upgrade, idle } = measures;
  const steps = [join, install, upgrade, idle];
  const cells = (cpu: (step: FleetStep) => number, usage: Usage | undefined): Row => [
    ...steps.map((step) => `${cpu(step).toFixed(1)} s`),
    mebibytes(usage?.peakMiB),
    mebibytes(usage?.residentMiB),
  ];
  const services = [...idle.after.services].map(([name, usage]) => [
    name,
    ...cells((step) => cpuOf(name, step), usage),
  ]);
  const { after } = idle;
  const redisCpu = ({ before, after: end }: FleetStep) => end.redis.cpuSeconds - before.redis.cpuSeconds;
  const others: readonly Row[] = [
    ['Redis', ...steps.map((step) => `${redisCpu(step).toFixed(1)} s`), '–', mebibytes(after.redis.mebibytes)],
    [
      'simulated clusters',
      ...cells((step) => step.after.simulator.cpuSeconds - step.before.simulator.cpuSeconds, after.simulator),
    ],
    ['registry and bench', ...cells((step) => step.after.bench.cpuSeconds - step.before.bench.cpuSeconds, after.bench)],
  ];
  const head = [
    'process',
    'CPU join',
    'CPU install',
    'CPU upgrade',
    `CPU idle ${idle.seconds.toFixed(0)} s`,
    'peak RSS',
    'RSS at the end',
  ];
  return table(head, [...services, ...others]);
}

function queues({ install, upgrade }: UpgradeMeasures): string {
  const rows = Object.entries({ install, upgrade }).flatMap(([name, { before, after }]) => {
    const waits = waitsBetween(before.waits, after.waits);
    return [...waits, ['all', ofAllQueues(waits)] as const]
      .filter(([, buckets]) => jobsOf(buckets) > 0)
      .map(([queue, buckets]) => [
        `${name}: ${queue}`,
        String(jobsOf(buckets)),
        ...[0.5, 0.99].map((share) => milliseconds(waitQuantile(buckets, share))),
      ]);
  });
  return table(['queue', 'jobs', 'waited, median', 'waited, 99 %'], rows);
}

/** The most frequent commands of the step upgrade. */
function commands({ size, install, upgrade }: UpgradeMeasures): string {
  const each = size.clusters * size.operators;
  const installCalls = new Map(callsOf(install));
  const most = callsOf(upgrade)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, COMMANDS_SHOWN);
  const rows = most.map(([command, calls]) => [
    command,
    ((installCalls.get(command) ?? 0) / each).toFixed(1),
    (calls / each).toFixed(1),
  ]);
  return table(['command to Redis, for each operator', 'install', 'upgrade'], rows);
}

/** Renders the work that continues while nothing happens. */
function atRest({ idle }: UpgradeMeasures): string {
  const { before, after, seconds: lasted } = idle;
  const requests = Object.entries(after.requests.each).map(
    ([asked, count]) => [asked, count - (before.requests.each[asked] ?? 0)] as const,
  );
  const most = (counts: readonly (readonly [string, number])[]) =>
    counts.filter(([, count]) => count > 0).toSorted(([, a], [, b]) => b - a);
  const rows = [...most(requests), ...most(callsOf(idle)).map(([name, calls]) => [`Redis: ${name}`, calls] as const)];
  return table(
    ['at rest', 'a minute'],
    rows.map(([what, count]) => [what, ((count * 60) / lasted).toFixed(1)]),
  );
}

/** Renders the content of Redis at the end. */
function kinds({ redisKinds }: UpgradeMeasures): string {
  const rows = redisKinds.map(({ kind, keys, bytes }) => [
    kind,
    String(keys),
    (bytes / keys).toFixed(0),
    (bytes / 2 ** 10).toFixed(1),
  ]);
  return table(['keys in Redis at the end', 'number', 'bytes of each', 'KiB together'], rows);
}

/**
 * Returns the quantile over all clusters, including those that were not done: `never` if it is one of these.
 */
function quantile({ clusterSeconds }: FleetStep, share: number, clusters: number): number | undefined {
  return clusterSeconds[Math.max(0, Math.ceil(clusters * share) - 1)];
}

/** Commands that scripts call count, too. */
const callsOf = ({ before, after }: FleetStep): readonly (readonly [command: string, calls: number])[] =>
  [...after.redis.calls].map(([command, calls]) => [command, calls - (before.redis.calls.get(command) ?? 0)]);
export const commandsOf = (step: FleetStep): number => callsOf(step).reduce((sum, [, calls]) => sum + calls, 0);
const allCpu = (step: FleetStep): number =>
  [...step.after.services.keys()].reduce((sum, name) => sum + cpuOf(name, step), 0);
const seconds = (value: number | undefined): string => (value === undefined ? 'never' : `${value.toFixed(1)} s`);
const milliseconds = (value: number | undefined): string =>
  value === undefined ? '–' : `${(value * 1_000).toFixed(0)} ms`;
export const mebibytes = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? 'unknown' : `${value.toFixed(0)} MiB`;

export function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
