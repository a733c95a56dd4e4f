import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type ControllerStep, measureController } from './fleet-controller/measure-controller.js';
import { table } from './fleet-upgrade/render-upgrade.js';
import { machine } from './machine.js';

// Usage: node dist/bench/fleet-controller.js --clusters 10000 [--rollouts 1] [--profile FOLDER]. Exits 1
// unless every rollout is Completed.

const GOAL_MIB = 512;
const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '10000' },
    rollouts: { type: 'string', default: '1' },
    /** `maxConcurrent` of each wave. */
    'at-once': { type: 'string', default: '100%' },
    'idle-seconds': { type: 'string', default: '30' },
    profile: { type: 'string' },
  },
});
const clusters = Number(values.clusters);
const measures = await measureController({
  clusters,
  rollouts: Number(values.rollouts),
  atOnce: values['at-once'],
  idleSeconds: Number(values['idle-seconds']),
  profileFolder: values.profile === undefined ? undefined : resolve(values.profile),
  say: (line) => void process.stderr.write(`${line}\n`),
});

const rowOf = ({ name, status, seconds, cpuSeconds, writes, reports, peakMiB }: ControllerStep) => [
  `${name} ${status.phase ?? ''}`.trim(),
  `${seconds.toFixed(1)} s`,
  `${cpuSeconds.toFixed(1)} s`,
  (writes / clusters).toFixed(2),
  (reports / clusters).toFixed(2),
  `${Math.round(peakMiB)} MiB`,
];
const head = ['', 'time', 'CPU', 'writes of the controller a cluster', 'reports a cluster', 'peak memory so far'];
const { steps, rest, peakMiB } = measures;
process.stdout.write(`${machine()}; ${clusters} clusters, three waves, ${values['at-once']} at once; runs=1\n\n`);
process.stdout.write(table(head, steps.map(rowOf)));
process.stdout.write(`\npeak memory of the controller: ${Math.round(peakMiB)} MiB (goal: at most ${GOAL_MIB})\n`);
process.stdout.write(
  `at rest for ${values['idle-seconds']} s: ${rest.writes} writes, ${rest.cpuSeconds.toFixed(1)} s of CPU, ${Math.round(rest.residentMiB)} MiB\n`,
);
for (const [what, count] of Object.entries(measures.writes).sort(([, a], [, b]) => b - a))
  process.stdout.write(`${count} ${what}\n`);
const rollouts = steps.slice(1);
process.exit(rollouts.every(({ status }) => status.phase === 'Completed') ? 0 : 1);
