import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { PackageRecord } from '#core/catalog/model/package-record';
import type { DesiredSubscription } from '#core/classic/resolution/problem/resolution-problem';
import { hasRealCatalog, REAL_CATALOGS } from '../resolution/measure-case.js';
import { ABSENT_PACKAGE, CASES, REAL_CASES } from '../resolution/resolution-cases.js';
import type { Comparison, Sample } from './comparison.js';
import { measured } from './timed-command.js';

/** Made-up cases that are compared; the others take the original minutes. */
const COMPARED = ['catalog 400×25, 1 Subscription', 'chain 60×10', 'ladder 40×10', 'pigeons 9'];
/** Milliseconds of processor time for repeated answers of ours. */
const WARM_MS = 500;
/** The case with a comparison of the first answer in a process, too. */
const FIRST = ABSENT_PACKAGE;

const Answered = z.object({
  /** Time of the first answer in the process, with the catalog read and indexed before. */
  firstMs: z.number(),
  warm: z.object({ medianMs: z.number(), cpuMs: z.number() }),
});

/**
 * `original` is run as `PROGRAM CATALOG PACKAGE/CHANNEL…`, one Subscription for each package, and prints one
 * line of JSON: `firstMs`, the time of the first answer of OLM's resolver once its snapshot is in memory, and
 * `warm`, with `medianMs` and `cpuMs` of an answer after that.
 */
export async function resolverCases(original: string | undefined, folder: string): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const { name, subscriptions, catalog } of await comparedCases(folder)) {
    const wanted = subscriptions.map((one) => `${one.package}/${one.channel}`);
    const ours = [process.execPath, 'dist/bench/resolution.js', '--case', name, '--warm-ms', String(WARM_MS)];
    const run = (command: readonly string[], which: 'first' | 'warm') => () => answered(command, folder, which);
    for (const which of name === FIRST ? (['warm', 'first'] as const) : (['warm'] as const)) {
      comparisons.push({
        work: `resolve: ${name}${which === 'warm' ? '' : ', first answer of a process'}`,
        ours: run(ours, which),
        ...(original === undefined ? {} : { original: run([original, catalog, ...wanted], which) }),
      });
    }
  }
  return comparisons;
}

type ComparedCase = Readonly<{ name: string; subscriptions: readonly DesiredSubscription[]; catalog: string }>;

async function comparedCases(folder: string): Promise<ComparedCase[]> {
  const real = hasRealCatalog()
    ? REAL_CASES.map(({ name, subscriptions }) => ({ name, subscriptions, catalog: join(REAL_CATALOGS, 'v4.20') }))
    : [];
  const made = CASES.filter(({ name }) => COMPARED.includes(name)).map(async ({ name, make }, at) => {
    const { records, subscriptions } = make();
    const catalog = join(folder, `case-${at}`);
    await mkdir(catalog, { recursive: true });
    await writeFile(join(catalog, 'catalog.json'), records.flatMap(blobsOf).map(jsonLine).join(''));
    return { name, subscriptions, catalog };
  });
  return [...real, ...(await Promise.all(made))];
}

const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** A record as blobs of a file-based catalog. */
function blobsOf({ name, defaultChannel, entries }: PackageRecord): unknown[] {
  const channels = [...Map.groupBy(entries, ({ channel }) => channel)].map(([channel, of]) => ({
    schema: 'olm.channel',
    package: name,
    name: channel,
    entries: of.map((entry) => ({
      name: entry.name,
      ...(entry.replaces === '' ? {} : { replaces: entry.replaces }),
      ...(entry.skips.length === 0 ? {} : { skips: entry.skips }),
      ...(entry.skipRange === '' ? {} : { skipRange: entry.skipRange }),
    })),
  }));
  const bundles = [...new Map(entries.map((entry) => [entry.name, entry])).values()].map((entry) => ({
    schema: 'olm.bundle',
    package: name,
    name: entry.name,
    properties: entry.properties,
    ...('image' in entry.source ? { image: entry.source.image } : {}),
  }));
  return [{ schema: 'olm.package', name, defaultChannel }, ...channels, ...bundles];
}

async function answered(command: readonly string[], folder: string, which: 'first' | 'warm'): Promise<Sample> {
  const { sample, printed } = await measured(command, folder, 'pipe');
  const { firstMs, warm } = Answered.parse(JSON.parse(printed));
  const { peakMiB } = sample;
  const memory = peakMiB === undefined ? {} : { peakMiB };
  return which === 'first' ? { wallMs: firstMs, ...memory } : { wallMs: warm.medianMs, cpuMs: warm.cpuMs, ...memory };
}
