import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { BenchCatalog, Measure } from './measures.js';

/**
 * Medians of the runs. `milliseconds` is the time of the step if the step reports one, otherwise of the whole
 * process.
 */
export type Measured = Readonly<{ milliseconds: number; cpuSeconds: number; peakMiB: number }>;

const Usage = z.object({ cpuSeconds: z.number(), peakMiB: z.number() });
const PRELOAD = '--import=./dist/bench/catalogs/report-usage.js';

/** Runs a measure so many times, each in a process of its own, from the folder of the project. */
export async function runMeasure(
  measure: Measure,
  catalog: BenchCatalog,
  { runs, folder }: Readonly<{ runs: number; folder: string }>,
): Promise<Measured> {
  const all: Measured[] = [];
  for (let run = 0; run < runs; run += 1) all.push(await runOnce(measure, catalog, folder));
  return {
    milliseconds: median(all.map(({ milliseconds }) => milliseconds)),
    cpuSeconds: median(all.map(({ cpuSeconds }) => cpuSeconds)),
    peakMiB: median(all.map(({ peakMiB }) => peakMiB)),
  };
}

async function runOnce(measure: Measure, catalog: BenchCatalog, folder: string): Promise<Measured> {
  const state = join(folder, 'state');
  const usageFile = join(folder, 'usage.json');
  const timeFile = join(folder, 'time');
  if (measure.state === 'fresh') await rm(state, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(state, { recursive: true });
  await rm(timeFile, { force: true });
  const command = measure.command(catalog, state);
  const [program = '', ...args] = measure.foreign ? ['time', '-f', '%U %S %M', '-o', usageFile, ...command] : command;
  const env = { ...process.env, NODE_OPTIONS: PRELOAD, FLOTILLA_BENCH_USAGE: usageFile, FLOTILLA_BENCH_TIME: timeFile };
  const start = performance.now();
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  const milliseconds = performance.now() - start;
  if (code !== 0) throw new Error(`${measure.name} with ${catalog.name} ended with ${code}`);
  const timeText = await readFile(timeFile, 'utf8').catch(() => undefined);
  const usage = await readFile(usageFile, 'utf8');
  return {
    milliseconds: timeText === undefined ? milliseconds : Number(timeText),
    ...(measure.foreign ? usageOfTime(usage) : Usage.parse(JSON.parse(usage))),
  };
}

/** Seconds of the user, of the system, and KiB, in the format that GNU time was given. */
function usageOfTime(text: string): z.infer<typeof Usage> {
  const [user = Number.NaN, system = Number.NaN, peakKiB = Number.NaN] = text.trim().split(' ').map(Number);
  return { cpuSeconds: user + system, peakMiB: peakKiB / 1_024 };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
