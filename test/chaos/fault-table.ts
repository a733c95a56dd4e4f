import type { FaultRow } from './judge/recoveries.js';

/** The table of a run, in Markdown. */
export function faultTable(rows: readonly FaultRow[]): string {
  const lines = rows.map(
    ({ fault, injected, survived, longest }) =>
      `| ${fault} | ${injected} | ${survived} | ${longest === undefined ? '–' : `${longest.toFixed(1)} s`} |`,
  );
  return ['| fault | injected | survived | longest recovery |', '| --- | --- | --- | --- |', ...lines, ''].join('\n');
}
