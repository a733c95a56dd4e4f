import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchCatalogs, REAL } from './catalogs/bench-catalogs.js';
import { measures, opmMeasures } from './catalogs/measures.js';
import { type Measured, runMeasure } from './catalogs/run-measure.js';
import { machine } from './machine.js';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' }, opm: { type: 'string' } } });
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) {
  process.stderr.write(`--runs: ${JSON.stringify(values.runs)} is not a whole number above 0\n`);
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'flotilla-bench-'));
try {
  process.stdout.write(`${machine()}; medians of ${runs} runs, each a process of its own\n\n`);
  process.stdout.write('| catalog | what | time | CPU | peak memory |\n| --- | --- | --- | --- | --- |\n');
  for (const catalog of await benchCatalogs(folder)) {
    for (const measure of [...measures, ...(values.opm ? opmMeasures(values.opm) : [])]) {
      const measured = await runMeasure(measure, catalog, { runs, folder });
      process.stdout.write(`| ${catalog.name} | ${measure.name} | ${cells(measured).join(' | ')} |\n`);
    }
  }
  if (!values.opm) process.stdout.write('\nNot run: opm on the same catalogs (OPM=PATH names one).\n');
  if (!existsSync(REAL))
    process.stdout.write(`\nNot run: ${REAL} is not there (the public catalog v4.20, 14.8 MB of YAML).\n`);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

function cells({ milliseconds, cpuSeconds, peakMiB }: Measured): string[] {
  const time =
    milliseconds < 1
      ? '< 1 ms'
      : milliseconds < 1_000
        ? `${Math.round(milliseconds)} ms`
        : `${(milliseconds / 1_000).toFixed(1)} s`;
  return [time, `${cpuSeconds.toFixed(2)} s`, `${Math.round(peakMiB)} MiB`];
}
