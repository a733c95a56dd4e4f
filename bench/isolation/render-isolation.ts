import { table } from '../fleet-upgrade/render-upgrade.js';
import type { IsolationPair, IsolationRun } from './measure-isolation.js';

/** The time with the troubled clusters is to be at most so much longer. */
export const GOAL = 1.1;

/** Renders a Markdown table with a row for each pair, and the conclusion from all. */
export function renderIsolation(pairs: readonly IsolationPair[], healthy: number): string {
  const rows = pairs.map(({ alone, beside }, index) => [
    String(index + 1),
    ...[0.5, 1].flatMap((share) => [seconds(at(alone, share, healthy)), seconds(at(beside, share, healthy))]),
    ratioOf({ alone, beside }, healthy).toFixed(2),
    ...[alone, beside].map((run) => `${cpuOf(run).toFixed(1)} + ${run.simulatorCpuSeconds.toFixed(1)} s`),
  ]);
  const head = [
    'pair',
    'half: alone',
    'half: beside',
    'last: alone',
    'last: beside',
    'ratio of the last',
    'CPU of services + simulator: alone',
    'CPU: beside',
  ];
  const ratio = median(pairs.map((pair) => ratioOf(pair, healthy)));
  return `${table(head, rows)}\nratio, median of ${pairs.length} pairs: ${ratio.toFixed(2)} (goal: at most ${GOAL})\n`;
}

/** True if each healthy cluster was upgraded in each run. */
export const isComplete = (pairs: readonly IsolationPair[], healthy: number): boolean =>
  pairs.every(({ alone, beside }) => [alone, beside].every(({ clusterSeconds }) => clusterSeconds.length === healthy));

/** Returns the ratio by the last healthy cluster; NaN if it was not done. */
const ratioOf = ({ alone, beside }: IsolationPair, healthy: number): number =>
  (at(beside, 1, healthy) ?? Number.NaN) / (at(alone, 1, healthy) ?? Number.NaN);

const at = ({ clusterSeconds }: IsolationRun, share: number, healthy: number): number | undefined =>
  clusterSeconds[Math.ceil(healthy * share) - 1];
const cpuOf = ({ cpuSeconds }: IsolationRun): number => [...cpuSeconds.values()].reduce((sum, one) => sum + one, 0);
const seconds = (value: number | undefined): string => (value === undefined ? 'never' : `${value.toFixed(1)} s`);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}
