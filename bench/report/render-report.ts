import type { BenchRun } from './bench-run.js';
import { comparisonSection, markdownOf, type ReportSection } from './comparison-section.js';
import { barPlot } from './plots.js';
import { durationIn, type MarkdownTable, readTables } from './read-tables.js';

/** Subject of each bench, in the order of the page. */
export const BENCHES: Readonly<Record<string, string>> = {
  compare: 'The original programs and Flotilla at the same work, in turns',
  catalogs: 'Catalogs: validated, rendered, listed, indexed, polled',
  resolution: 'The resolver of OLM Classic alone',
  extension: 'The choice of a bundle for a ClusterExtension',
  metas: 'Questions to a served catalog over HTTP',
  'up-memory': 'Memory of `flotilla up` with one cluster',
  console: 'The web console against its budgets',
  'fleet-install': 'One Subscription in many simulated clusters',
  'fleet-upgrade': 'Operators installed and upgraded in a fleet of simulated clusters',
  'fleet-rollout': 'An install and an upgrade as rollouts of one wave',
  'fleet-controller': 'The fleet controller alone, at 10,000 clusters',
  lifecycle: 'Installs and upgrades on a real control plane',
  'extension-install': 'ClusterExtensions on a real control plane',
  isolation: 'An upgrade without and beside troubled clusters',
  'hostile-cluster': 'A hub with a cluster whose API server is hostile',
  'redis-memory': 'What a job and a connection take of Redis',
};

const INTRODUCTION = `# Benchmark report

Made by \`make bench-report\` from what the programs in \`bench\` print, without leaving anything out; where a run came about in another way, a remark says so. [bench/README.md](METHOD) says for each what it measures and how to
read it. A run is one machine on one day: compare ratios, CPU and memory; times are upper bounds where the load average says that others used the machine.`;

/**
 * Renders the report as files: one page, a picture for each table that has durations, and the output of each
 * program. `method` is the path from the page to bench/README.md.
 */
export function renderReport(runs: readonly BenchRun[], method: string): ReadonlyMap<string, string> {
  const ordered = Object.keys(BENCHES).flatMap((name) => runs.find(({ bench }) => bench === name) ?? []);
  const missing = Object.keys(BENCHES).filter((name) => !runs.some(({ bench }) => bench === name));
  const sections = ordered.map(sectionOf);
  const files = new Map<string, string>(sections.flatMap((section) => [...section.files]));
  for (const run of ordered) files.set(`raw/${run.bench}.json`, `${JSON.stringify(run, null, 2)}\n`);
  const absent =
    missing.length === 0 ? [] : [`Not part of this report: ${missing.map((name) => `\`${name}\``).join(', ')}.`];
  const page = [INTRODUCTION.replace('METHOD', method), ...absent, ...sections.map(({ markdown }) => markdown)];
  files.set('README.md', `${page.join('\n\n')}\n`);
  return files;
}

function sectionOf(run: BenchRun): ReportSection {
  const { bench, command, startedAt, seconds, load, exit, output, error, note } = run;
  const took = seconds === null ? '' : ` in ${Math.round(seconds)} s`;
  const head = [
    `## ${BENCHES[bench] ?? bench}`,
    `\`${command}\`, ${startedAt.slice(0, 16).replace('T', ' ')} UTC${took}; load average ${load[0].toFixed(1)} at its start, ${load[1].toFixed(1)} at its end. [Raw](raw/${bench}.json).`,
    ...(note === undefined ? [] : [`Remark: ${note}`]),
    ...(exit === 0
      ? []
      : [
          `It ended with exit code ${exit}, so that what follows is not complete:\n\n\`\`\`text\n${error.trim()}\n\`\`\``,
        ]),
  ];
  const files = new Map<string, string>();
  const parts = readTables(output).map((part, at) => {
    if ('text' in part) return part.text;
    const { table } = part;
    if (bench === 'compare' && table.headings.length === 5) {
      const section = comparisonSection(table);
      for (const [name, content] of section.files) files.set(name, content);
      return section.markdown;
    }
    const plot = plotOf(table);
    if (plot === undefined) return markdownOf(table);
    const file = `${bench}-${at}.svg`;
    files.set(file, plot.svg);
    return `${markdownOf(table)}\n\n![${plot.title}](${file})`;
  });
  return { markdown: [...head, ...parts].join('\n\n'), files };
}

/** Fewer bars show nothing that the table does not. */
const FEWEST_BARS = 3;

/** Plots the first column with durations; undefined if there is none. */
function plotOf({ headings, rows }: MarkdownTable): Readonly<{ title: string; svg: string }> | undefined {
  const column = headings.findIndex(
    (_, at) => at > 0 && rows.filter((row) => durationIn(row[at] ?? '') !== undefined).length >= FEWEST_BARS,
  );
  if (column < 0) return undefined;
  const isFigure = (cell: string) => cell === '–' || durationIn(cell) !== undefined;
  const first = headings.findIndex((_, at) => at > 0 && rows.some((row) => isFigure(row[at] ?? '')));
  const labels = headings.slice(0, first).map((_, at) => at);
  const bars = rows.flatMap((row) => {
    const value = durationIn(row[column] ?? '');
    const [shown = ''] = /^\S+ \S+?(?=[,;\s]|$)/.exec(row[column] ?? '') ?? [];
    return value === undefined ? [] : [{ label: labels.map((at) => row[at]).join(', '), value, shown }];
  });
  const title = `${labels.map((at) => headings[at]).join(', ')}: ${headings[column]}`;
  return { title, svg: barPlot(title, bars) };
}
