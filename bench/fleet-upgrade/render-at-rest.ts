import { requestsOf } from './fleet-figures.js';
import type { AtRestMeasures } from './measure-at-rest.js';
import { commandsOf, mebibytes, type Row, table } from './render-upgrade.js';

const MEBIBYTE = 2 ** 20;

/** Renders Markdown tables: the time to settle, and the memory of each process. */
export function renderAtRest({ size, settle, idle, endState, collected }: AtRestMeasures): string {
  const minutes = idle.seconds / 60;
  const a = (what: 'reads' | 'writes') => (requestsOf(what, idle) / minutes).toFixed(0);
  const facts: readonly Row[] = [
    ['clusters × operators', `${size.clusters} × ${size.operators}`],
    ['Succeeded', `${endState.succeeded} of ${size.clusters * size.operators}`],
    ['all watched; quiet', `${settle.watchedSeconds?.toFixed(1) ?? '–'} s; ${settle.seconds.toFixed(1)} s`],
    ['watches opened', String(idle.after.requests.watches)],
    [
      'idle: reads, writes, Redis commands a minute',
      `${a('reads')}, ${a('writes')}, ${(commandsOf(idle) / minutes).toFixed(0)}`,
    ],
  ];
  const { after, before } = idle;
  const rows = [...after.services].map(([name, usage]) => {
    const memory = collected.get(name);
    const until = before.services.get(name)?.cpuSeconds ?? Number.NaN;
    return [
      name,
      `${until.toFixed(1)} s`,
      `${(usage.cpuSeconds - until).toFixed(1)} s`,
      mebibytes(usage.peakMiB),
      mebibytes(usage.residentMiB),
      mebibytes(memory && memory.heapUsed / MEBIBYTE),
      mebibytes(memory && memory.external / MEBIBYTE),
      mebibytes(memory && memory.rss / MEBIBYTE),
    ];
  });
  const others: readonly Row[] = [
    ['Redis', '–', '–', '–', mebibytes(after.redis.mebibytes), '–', '–', '–'],
    [
      'simulated clusters',
      `${before.simulator.cpuSeconds.toFixed(1)} s`,
      `${(after.simulator.cpuSeconds - before.simulator.cpuSeconds).toFixed(1)} s`,
      ...[after.simulator.peakMiB, after.simulator.residentMiB].map(mebibytes),
      ...['–', '–', '–'],
    ],
  ];
  const head = ['process', 'CPU settle', `CPU idle ${idle.seconds.toFixed(0)} s`, 'peak RSS', 'RSS'];
  const collectedHead = ['heap, collected', 'external, collected', 'RSS, collected'];
  return `${table(['what', 'measured'], facts)}\n${table([...head, ...collectedHead], [...rows, ...others])}`;
}
