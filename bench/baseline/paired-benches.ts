import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { BenchCatalog, Measure } from '../catalogs/measures.js';
import type { Comparison, Sample } from '../compare/comparison.js';
import { measured, timedCommand } from '../compare/timed-command.js';
import { durationIn, readTables } from '../report/read-tables.js';

// Each checkout runs its own benches, as it lists them itself; benches that only one of them has are left
// out.

type Pair<T> = Readonly<{ name: string; theirs: T; ours: T }>;

const Measures = z.object({ measures: z.array(z.custom<Measure>()) });
const Cases = z.object({
  CASES: z.array(z.object({ name: z.string() })),
  REAL_CASES: z.array(z.object({ name: z.string() })).optional(),
  /** Instead of `REAL_CASES`, until there was more than one. */
  REAL_CASE: z.object({ name: z.string() }).optional(),
});

/** Compares the start of the command, and the measures of `bench/catalogs.ts` for each catalog. */
export async function commandPairs(
  checkout: string,
  catalogs: readonly BenchCatalog[],
  folder: string,
): Promise<Comparison[]> {
  const lists = await both(checkout, 'dist/bench/catalogs/measures.js', Measures);
  const known = inBoth(lists.theirs.measures, lists.ours.measures);
  const help = ['bin/flotilla', '--help'];
  const start = {
    work: 'flotilla --help',
    original: () => timedCommand(help, { folder, checkout }),
    ours: () => timedCommand(help, { folder }),
  };
  const rows = catalogs.flatMap((catalog) =>
    known.map((pair) => ({
      work: `${catalog.name}: ${pair.name}`,
      original: measureRun(pair.theirs, catalog, join(folder, 'theirs'), checkout),
      ours: measureRun(pair.ours, catalog, join(folder, 'ours'), '.'),
    })),
  );
  return [start, ...rows];
}

function measureRun({ command, state }: Measure, catalog: BenchCatalog, folder: string, checkout: string) {
  const kept = join(folder, 'state');
  const prepare = async () => {
    if (state === 'fresh') await rm(kept, { recursive: true, force: true, maxRetries: 5 });
    await mkdir(kept, { recursive: true });
  };
  return () => timedCommand(command(catalog, kept), { folder, prepare, checkout });
}

const Answered = z.object({
  answer: z.string(),
  warm: z.object({ medianMs: z.number(), p99Ms: z.number(), cpuMs: z.number() }),
});

/** Cases of `bench/resolution.ts`, with the index in memory; the answers must be the same. `real`: also those
 * of the public catalog. */
export async function resolutionPairs(checkout: string, folder: string, real: boolean): Promise<Comparison[]> {
  const lists = await both(checkout, 'dist/bench/resolution/resolution-cases.js', Cases);
  return inBoth(casesOf(lists.theirs, real), casesOf(lists.ours, real)).map(({ name }) => {
    const answers = new Set<string>();
    const run = (root: string) => async (): Promise<Sample> => {
      const command = [process.execPath, 'dist/bench/resolution.js', '--case', name];
      const { sample, printed } = await measured(command, folder, 'pipe', root);
      const { answer, warm } = Answered.parse(JSON.parse(printed));
      if (answers.add(answer).size > 1) throw new Error(`${name}: different answers: ${[...answers].join(', ')}`);
      const { peakMiB } = sample;
      const memory = peakMiB === undefined ? {} : { peakMiB };
      return { wallMs: warm.medianMs, p99Ms: warm.p99Ms, cpuMs: warm.cpuMs, ...memory };
    };
    return { work: `resolve: ${name}`, original: run(checkout), ours: run('.') };
  });
}

function casesOf({ CASES, REAL_CASES, REAL_CASE }: z.infer<typeof Cases>, real: boolean) {
  const ofReal = REAL_CASES ?? (REAL_CASE === undefined ? [] : [REAL_CASE]);
  return real ? [...ofReal, ...CASES] : CASES;
}

/** Compares the output of `bench/extension.ts` for any question, with the index in memory. */
export function extensionPairs(checkout: string, folder: string): Comparison[] {
  const run = (root: string) => async (): Promise<Sample> => {
    const { sample, printed } = await measured([process.execPath, 'dist/bench/extension.js'], folder, 'pipe', root);
    return { ...sample, ...anyQuestion(printed) };
  };
  return [{ work: 'ClusterExtensions: any question, median of all packages', original: run(checkout), ours: run('.') }];
}

/** Returns the row of any question from the output of `bench/extension.ts`; throws if it is missing. */
export function anyQuestion(printed: string): Readonly<{ wallMs: number; p99Ms: number }> {
  const rows = readTables(printed).flatMap((part) => ('table' in part ? part.table.rows : []));
  const [, median = '', p99 = ''] = rows.find(([what]) => what?.startsWith('any question')) ?? [];
  const [wallMs, p99Ms] = [durationIn(median), durationIn(p99)];
  if (wallMs === undefined || p99Ms === undefined)
    throw new Error(`bench/extension.ts printed no row of any question: ${printed}`);
  return { wallMs, p99Ms };
}

async function both<T>(checkout: string, file: string, shape: z.ZodType<T>): Promise<Readonly<{ theirs: T; ours: T }>> {
  const read = async (root: string) => shape.parse({ ...(await import(pathToFileURL(resolve(root, file)).href)) });
  return { theirs: await read(checkout), ours: await read('.') };
}

function inBoth<T extends Readonly<{ name: string }>>(theirs: readonly T[], ours: readonly T[]): Pair<T>[] {
  const named = new Map(theirs.map((one) => [one.name, one]));
  return ours.flatMap((one) => {
    const same = named.get(one.name);
    return same === undefined ? [] : [{ name: one.name, theirs: same, ours: one }];
  });
}
