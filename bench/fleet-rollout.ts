import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureRollouts, type RolloutMeasure } from './fleet-rollout/measure-rollout.js';
import { machine } from './machine.js';

// Usage: node dist/bench/fleet-rollout.js --clusters 50 [--appliers 1] [--profile FOLDER]. Exits 1 unless
// both roll-outs are Completed.

const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '50' },
    appliers: { type: 'string', default: '1' },
    'idle-seconds': { type: 'string', default: '30' },
    profile: { type: 'string' },
  },
});
const clusters = Number(values.clusters);
const measures = await measureRollouts({
  clusters,
  appliers: Number(values.appliers),
  idleSeconds: Number(values['idle-seconds']),
  profileFolder: values.profile === undefined ? undefined : resolve(values.profile),
  say: (line) => void process.stderr.write(`${line}\n`),
});

const cpu = ({ before, after }: RolloutMeasure) =>
  [...after.services].map(([name, { cpuSeconds, peakMiB }]) => {
    const used = cpuSeconds - (before.services.get(name)?.cpuSeconds ?? 0);
    return `| ${name} | ${used.toFixed(1)} s | ${Math.round(peakMiB)} MiB |`;
  });
process.stdout.write(`${machine()}; ${clusters} clusters, one wave; runs=1\n`);
for (const measure of measures.rollouts) {
  const { name, status, seconds, hubWrites } = measure;
  const took = (Date.parse(status.finishedAt ?? '') - Date.parse(status.startedAt ?? '')) / 1_000;
  process.stdout.write(`\n| ${name} | ${status.phase} |\n| --- | --- |\n`);
  process.stdout.write(
    `| from the change to the end | ${seconds.toFixed(1)} s |\n| roll-out | ${took.toFixed(1)} s |\n`,
  );
  process.stdout.write(`| writes to the hub API a cluster | ${(hubWrites / clusters).toFixed(1)} |\n`);
  process.stdout.write(`\n| process | CPU | peak memory |\n| --- | --- | --- |\n${cpu(measure).join('\n')}\n`);
}
process.stdout.write(`\nwrites to the hub API at rest: ${measures.idleWrites} in ${values['idle-seconds']} s\n`);
for (const [what, count] of [...measures.writes].sort(([, a], [, b]) => b - a))
  process.stdout.write(`${count} ${what}\n`);
process.exit(measures.rollouts.every(({ status }) => status.phase === 'Completed') ? 0 : 1);
