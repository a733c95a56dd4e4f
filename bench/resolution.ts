import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { machine } from './machine.js';
import { hasRealCatalog, type Measured, measureCase } from './resolution/measure-case.js';
import { CASES, REAL_CASES } from './resolution/resolution-cases.js';

// Usage: node dist/bench/resolution.js [--runs 5]. Every run of every case is a process of its own.

const { values } = parseArgs({
  options: { case: { type: 'string' }, runs: { type: 'string', default: '5' }, 'warm-ms': { type: 'string' } },
});

if (values.case === undefined) await report(Number(values.runs));
else {
  const warmMs = values['warm-ms'] === undefined ? undefined : Number(values['warm-ms']);
  process.stdout.write(JSON.stringify(await measureCase(values.case, warmMs)));
}

async function report(runs: number): Promise<void> {
  console.log(`${machine()}; ${runs} processes a case\n`);
  console.log(
    '| case | answer | cold: median, worst | first answer | warm: median, p99 | warm CPU | a second and core | peak |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  const cases = hasRealCatalog() ? [...REAL_CASES, ...CASES] : CASES;
  if (!hasRealCatalog())
    console.log('| community catalog v4.20 | not run: ../shared/data/catalogs/v4.20 is not there | | | | | | |');
  for (const { name } of cases) {
    const measured: Measured[] = [];
    for (let run = 0; run < runs; run++) measured.push(await inProcessOfItsOwn(name));
    console.log(row(name, measured));
  }
}

async function inProcessOfItsOwn(name: string): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), '--case', name]);
  return JSON.parse(stdout) as Measured;
}

function row(name: string, measured: readonly Measured[]): string {
  const median = (of: (one: Measured) => number) => measured.map(of).sort((a, b) => a - b)[measured.length >> 1] ?? 0;
  const worst = (of: (one: Measured) => number) => Math.max(...measured.map(of));
  const cpu = median(({ warm }) => warm.cpuMs);
  const cells = [
    name,
    measured[0]?.answer ?? '',
    `${ms(median(({ coldMs }) => coldMs))}, ${ms(worst(({ coldMs }) => coldMs))}`,
    ms(median(({ firstMs }) => firstMs)),
    `${ms(median(({ warm }) => warm.medianMs))}, ${ms(median(({ warm }) => warm.p99Ms))}`,
    ms(cpu),
    String(Math.round(1_000 / cpu)),
    `${Math.round(worst(({ peakMiB }) => peakMiB))} MiB`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
}
