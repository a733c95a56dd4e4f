import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { findRedis } from '#platform/redis/local/find-redis';
import { type ConsoleLoad, type ConsoleMeasures, ConsoleUnderLoad, type Times } from './console/console-under-load.js';
import { measurePages, type PageMeasures } from './console/measure-pages.js';
import { measurePollerGrowth, type PollerGrowth } from './console/poller-growth.js';
import { machine } from './machine.js';

// Usage: node dist/bench/console.js --clusters 1000. Measures the web console against its budgets: answers,
// pages and memory with made-up rows, and a poller's cost of rows. Exits 1 if a budget is exceeded.

const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '1000' },
    /** Operators of each cluster: with its own row and two catalogs 60 rows. */
    operators: { type: 'string', default: '57' },
    seconds: { type: 'string', default: '60' },
    /** Clusters in the simulated fleet of the poller; 0 leaves it out. */
    'poller-clusters': { type: 'string', default: '50' },
    'poller-operators': { type: 'string', default: '30' },
  },
});
const load: ConsoleLoad = {
  clusters: Number(values.clusters),
  operators: Number(values.operators),
  seconds: Number(values.seconds),
  ...{ streams: 50, changesPerSecond: 50, listsPerSecond: 20 },
};
const say = (line: string) => void process.stderr.write(`${line}\n`);
const loadBefore = loadavg()[0] ?? 0;

const server = await findRedis({ log: () => undefined, preferExisting: false });
const redis = new Redis(server.url);
const { measures, pages } = await served().finally(async () => {
  redis.disconnect();
  await server.stop();
});
const pollerClusters = Number(values['poller-clusters']);
const growth =
  pollerClusters === 0
    ? undefined
    : await measurePollerGrowth({ clusters: pollerClusters, operators: Number(values['poller-operators']), say });

async function served(): Promise<{ measures: ConsoleMeasures; pages: PageMeasures | undefined }> {
  const console = await ConsoleUnderLoad.start(redis, server.url, load);
  try {
    say(`${load.clusters} clusters are there after ${console.filledSeconds.toFixed(1)} s`);
    const pages = await measurePages(console);
    say(pages === undefined ? 'no Chromium: pages are not measured' : 'pages are measured');
    return { measures: await console.measure(), pages };
  } finally {
    await console.stop();
  }
}

type Line = Readonly<{ what: string; value: string; budget: string; holds: boolean | undefined }>;

const share = (times: Times, part: number): number =>
  times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const spread = (times: Times): string =>
  `${ms(share(times, 0.5))} · ${ms(share(times, 0.95))} · ${ms(share(times, 0.99))}`;
const mib = (value: number): string => `${Math.round(value)} MiB`;

const LARGE = 100_000;
function linesOf({ rows, lists, news, filledMiB, peakMiB, refused, cpuShare, filledSeconds }: ConsoleMeasures): Line[] {
  const isLarge = rows > LARGE;
  const listMs = isLarge ? 200 : 50;
  const free = { budget: '–', holds: undefined };
  return [
    { what: 'all rows there after the start of the process', value: `${filledSeconds.toFixed(1)} s`, ...free },
    {
      what: `lists, ${lists.length} answers, ${refused} refused: median · p95 · p99`,
      value: spread(lists),
      budget: `p95 ≤ ${listMs} ms`,
      holds: share(lists, 0.95) <= listMs && refused === 0,
    },
    {
      what: `row written → in a stream, ${news.length} of 50 streams: median · p95 · p99`,
      value: spread(news),
      budget: 'p99 ≤ 2 s',
      holds: share(news, 0.99) <= 2_000,
    },
    {
      what: 'memory of the console: all rows there · the most under load',
      value: `${mib(filledMiB)} · ${mib(peakMiB)}`,
      budget: isLarge ? '–' : '≤ 250 MiB',
      holds: isLarge ? undefined : filledMiB <= 250,
    },
    { what: 'processor of the console under load', value: `${Math.round(cpuShare * 100)} % of one`, ...free },
  ];
}

function linesOfPages({ firstPaint, usable, news, heapMiB }: PageMeasures): Line[] {
  return [
    {
      what: `Fleet, processor slowed 4×, ${usable.length} new browsers: first paint, median · most`,
      ...{ value: `${ms(share(firstPaint, 0.5))} · ${ms(firstPaint.at(-1) ?? Number.NaN)}`, budget: '–' },
      holds: undefined,
    },
    {
      what: 'the same: usable, median · most',
      ...{ value: `${ms(share(usable, 0.5))} · ${ms(usable.at(-1) ?? Number.NaN)}`, budget: 'median ≤ 1 s' },
      holds: share(usable, 0.5) <= 1_000,
    },
    {
      what: `row written → visible in an open page, ${news.length} changes: median · p95 · p99`,
      ...{ value: spread(news), budget: 'p99 ≤ 2 s', holds: share(news, 0.99) <= 2_000 },
    },
    { what: 'heap of a page that stays open', value: mib(heapMiB), budget: '–', holds: undefined },
  ];
}

function linesOfPoller({ without, withRows }: PollerGrowth): Line[] {
  const growth = withRows.usedMiB / without.usedMiB - 1;
  const percent = `${(growth * 100).toFixed(1)} %`;
  return [
    {
      what: `poller, ${pollerClusters} clusters × ${values['poller-operators']} operators at rest, in use: without rows → with`,
      value: `${without.usedMiB.toFixed(1)} → ${withRows.usedMiB.toFixed(1)} MiB (${percent})`,
      ...{ budget: '≤ 15 %', holds: growth <= 0.15 },
    },
    {
      what: 'the same, resident',
      value: `${mib(without.residentMiB)} → ${mib(withRows.residentMiB)}`,
      ...{ budget: '–', holds: undefined },
    },
  ];
}

const lines = [
  ...linesOf(measures),
  ...(pages === undefined ? [] : linesOfPages(pages)),
  ...(growth === undefined ? [] : linesOfPoller(growth)),
];
const mark = ({ holds }: Line): string => (holds === undefined ? '' : holds ? 'holds' : 'exceeded');
const what = `${measures.rows} rows of ${load.clusters} clusters; 50 streams, 50 changes/s, 20 lists/s for ${load.seconds} s`;
const busy = `load average ${loadBefore.toFixed(1)} at the start, ${(loadavg()[0] ?? 0).toFixed(1)} at the end`;
process.stdout.write(`${machine()}; ${what}; ${busy}; runs=1\n\n`);
process.stdout.write('| what | measured | budget | |\n| --- | --- | --- | --- |\n');
for (const line of lines) process.stdout.write(`| ${line.what} | ${line.value} | ${line.budget} | ${mark(line)} |\n`);
process.exit(lines.some(({ holds }) => holds === false) ? 1 : 0);
