import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { AwayMeasure } from './fleet-rollout/measure-away.js';
import { measureRollouts, type RolloutMeasure } from './fleet-rollout/measure-rollout.js';
import { machine } from './machine.js';

// Usage: node dist/bench/fleet-rollout.js --clusters 50 [--appliers 1] [--offline 20] [--profile FOLDER].
// Exits 1 unless all rollouts are Completed, and with --offline every cluster has the last version.

const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '50' },
    appliers: { type: 'string', default: '1' },
    'idle-seconds': { type: 'string', default: '30' },
    /** Percent of the clusters that do not answer during a further upgrade. */
    offline: { type: 'string', default: '0' },
    profile: { type: 'string' },
  },
});
/** The time of clusters that answer is to be at most so much longer. */
const OFFLINE_GOAL = 1.1;
/** Requests that each cluster has less often are not shown. */
const OFTEN = 0.5;
const clusters = Number(values.clusters);
const measures = await measureRollouts({
  clusters,
  appliers: Number(values.appliers),
  idleSeconds: Number(values['idle-seconds']),
  offline: Number(values.offline),
  profileFolder: values.profile === undefined ? undefined : resolve(values.profile),
  say: (line) => void process.stderr.write(`${line}\n`),
});

/** Lists the processor time of the services, and of processes that no real fleet has on the hub's machine. */
function cpu({ before, after }: RolloutMeasure): string[] {
  const row = (name: string, used: number, peakMiB?: number): string =>
    `| ${name} | ${used.toFixed(1)} s | ${peakMiB === undefined ? '' : `${Math.round(peakMiB)} MiB`} |`;
  return [
    ...[...after.services].map(([name, { cpuSeconds, peakMiB }]) =>
      row(name, cpuSeconds - (before.services.get(name)?.cpuSeconds ?? 0), peakMiB),
    ),
    row('Redis', after.redis.cpuSeconds - before.redis.cpuSeconds),
    row('simulated clusters', after.simulator.cpuSeconds - before.simulator.cpuSeconds, after.simulator.peakMiB),
    row('simulated hub API, registry', after.bench.cpuSeconds - before.bench.cpuSeconds, after.bench.peakMiB),
  ];
}

/** Requests to the clusters, from the most frequent on. */
function requests({ before, after }: RolloutMeasure): string[] {
  const counts = Object.entries(after.requests.each).map(
    ([asked, count]) => [asked, (count - (before.requests.each[asked] ?? 0)) / clusters] as const,
  );
  const often = counts.filter(([, count]) => count >= OFTEN).sort(([, a], [, b]) => b - a);
  return often.map(([asked, count]) => `| ${asked} | ${count.toFixed(1)} |`);
}

process.stdout.write(`${machine()}; ${clusters} clusters, one wave; runs=1\n`);
for (const measure of measures.rollouts) {
  const { name, status, seconds, hubWrites } = measure;
  const took = (Date.parse(status.finishedAt ?? '') - Date.parse(status.startedAt ?? '')) / 1_000;
  process.stdout.write(`\n| ${name} | ${status.phase} |\n| --- | --- |\n`);
  process.stdout.write(
    `| from the change to the end | ${seconds.toFixed(1)} s |\n| rollout | ${took.toFixed(1)} s |\n`,
  );
  process.stdout.write(`| writes to the hub API a cluster | ${(hubWrites / clusters).toFixed(1)} |\n`);
  process.stdout.write(`\n| process | CPU | peak memory |\n| --- | --- | --- |\n${cpu(measure).join('\n')}\n`);
  process.stdout.write(`\n| request | a cluster |\n| --- | --- |\n${requests(measure).join('\n')}\n`);
}
if (measures.away !== undefined) writeAway(measures.away);
process.stdout.write(`\nwrites to the hub API at rest: ${measures.idleWrites} in ${values['idle-seconds']} s\n`);
for (const [what, count] of [...measures.writes].sort(([, a], [, b]) => b - a))
  process.stdout.write(`${count} ${what}\n`);
const isTaken = measures.away === undefined || isComplete(measures.away);
process.exit(isTaken && measures.rollouts.every(({ status }) => status.phase === 'Completed') ? 0 : 1);

function isComplete({ atEnd, endState }: AwayMeasure): boolean {
  return atEnd.phase === 'Completed' && endState.succeeded === clusters && endState.faults.length === 0;
}

function writeAway({ away, noticed, usual, others, atReturn, taken, completed, atEnd, endState }: AwayMeasure): void {
  const rows = [
    ['noticed', `${noticed.toFixed(1)} s`],
    [`the ${clusters - away} others, from the change`, `${others.toFixed(1)} s`],
    ['as many where all answered', `${usual.toFixed(1)} s`],
    ['ratio', `${(others / usual).toFixed(2)} (goal: at most ${OFFLINE_GOAL})`],
    ['the rollout at the return of the others', `${atReturn.phase}`],
    ['they have Succeeded, from their return', `${taken.toFixed(1)} s`],
    [`rollout ${atEnd.phase}, from their return`, `${completed.toFixed(1)} s`],
    ['clusters with the last version alone', `${endState.succeeded}`],
  ];
  const lines = rows.map((row) => `| ${row.join(' | ')} |\n`).join('');
  process.stdout.write(`\n| ${away} clusters do not answer | |\n| --- | --- |\n${lines}`);
  for (const fault of endState.faults) process.stdout.write(`\n${fault}\n`);
}
