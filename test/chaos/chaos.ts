import { parseArgs } from 'node:util';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { machine } from '../../bench/machine.js';
import { faultTable } from './fault-table.js';
import { type HubForm, serviceNames } from './hub/chaos-hub.js';
import { CATALOGS, OPERATORS } from './hub/chaos-operators.js';
import { differences } from './judge/left-state.js';
import { leaks } from './judge/resources-used.js';
import { FAULT_KINDS, FAULT_NAMES, type FaultName } from './plan/fault-kinds.js';
import { planChanges } from './plan/plan-changes.js';
import { planFaults } from './plan/plan-faults.js';
import { type PlayedRun, playRun, type RunPlan } from './play-run.js';

// Usage: node dist/test/chaos/chaos.js --seconds 600 --clusters 12 --seed NUMBER [--one-process]. Exits 1 if
// the end differs from that of a run without faults.

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    clusters: { type: 'string', default: '12' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Selects the faults whose names contain this text. */
    only: { type: 'string', default: '' },
    /** The hub is one process, without Redis. */
    'one-process': { type: 'boolean', default: false },
    /** Also writes every change, and every phase of a ClusterServiceVersion. */
    trace: { type: 'boolean', default: false },
  },
});
const [seconds, clusterCount, seed] = [values.seconds, values.clusters, values.seed].map(wholeNumber) as [
  number,
  number,
  number,
];
const form: HubForm = values['one-process'] ? 'one process' : 'services';
const canHappen = (name: FaultName): boolean => form === 'services' || FAULT_KINDS[name].reach !== 'Redis';
const faults = FAULT_NAMES.filter((name) => canHappen(name) && name.includes(values.only));
const clusters = Array.from({ length: clusterCount }, (_, n) => `edge-${String(n + 1).padStart(2, '0')}`);
/** A version about every half minute, so that there are always upgrades. */
const editions = Math.max(3, Math.round(seconds / 30));
const say = (line: string) => void process.stderr.write(`${line}\n`);
const only = values.only === '' ? '' : ` ONLY='${values.only}'`;
const again = `make chaos SEED=${seed} SECONDS=${seconds} CLUSTERS=${clusterCount}${only}${form === 'services' ? '' : ' ONE_PROCESS=1'}`;
say(`seed ${seed}; to play it again: ${again}`);

const changes = planChanges({ seed, seconds, clusters, operators: OPERATORS, catalogs: CATALOGS, editions });
const plan: RunPlan = {
  form,
  clusters,
  changes,
  editions,
  pace: 1,
  say,
  trace: values.trace ? say : () => undefined,
  faults: [],
};
const registry = await startRegistry();
try {
  // Without faults there is no reason to wait between two changes.
  const calm = await playRun({ ...plan, pace: 0.25 }, registry);
  say(`without faults: ${changes.changes.length} changes carried out after ${calm.seconds.toFixed(0)} s`);
  for (const [fault, why] of calm.impossible) say(`not tried: ${fault}: ${why}`);
  const possible = faults.filter((fault) => !calm.impossible.has(fault));
  const planned = planFaults({ seed, seconds, clusters, services: serviceNames(form), faults: possible });
  const disturbed = await playRun({ ...plan, faults: planned }, registry);
  const found = verdict(calm, disturbed);
  process.stdout.write(`${machine()}; seed ${seed}, ${seconds} s, ${clusterCount} clusters, `);
  process.stdout.write(`${changes.changes.length} changes, ${changes.editions.length} catalog versions\n\n`);
  process.stdout.write(`${faultTable(disturbed.recoveries.rows(faults))}\n`);
  for (const line of disturbed.recoveries.slowest(5)) say(line);
  for (const { service, exitCode } of disturbed.ownEnds) say(`${service} ended by itself with ${exitCode}`);
  for (const line of found) say(line);
  say(found.length === 0 ? 'the same end as without faults' : `${found.length} differences; again: ${again}`);
  process.exitCode = found.length === 0 ? 0 : 1;
} catch (error) {
  say(`${error instanceof Error ? (error.stack ?? error.message) : error}\nagain: ${again}`);
  process.exitCode = 1;
} finally {
  await registry.stop();
}

/** Returns the differences that the faults caused, for people. */
function verdict(calm: PlayedRun, disturbed: PlayedRun): readonly string[] {
  const left = clusters.flatMap((name) =>
    differences(calm.left.get(name) ?? new Map(), disturbed.left.get(name) ?? new Map()).map(
      (text) => `left otherwise: ${name} ${text}`,
    ),
  );
  return [
    ...left,
    ...disturbed.contents.beyond(calm.contents).map((text) => `written otherwise: ${text}`),
    ...calm.contents.wentBack.map((text) => `written back, without faults: ${text}`),
    ...disturbed.contents.wentBack.map((text) => `written back: ${text}`),
    ...calm.contents.rewritten.map((text) => `plan rewritten, without faults: ${text}`),
    ...disturbed.contents.rewritten.map((text) => `plan rewritten: ${text}`),
    ...calm.writesAtRest.map((text) => `written at rest, without faults: ${text}`),
    ...disturbed.writesAtRest.map((text) => `written at rest: ${text}`),
    ...leaks(calm.used, disturbed.used).map((text) => `held at rest: ${text}`),
  ];
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  process.stderr.write(`${JSON.stringify(text)} is not a whole number\n`);
  process.exit(2);
}
