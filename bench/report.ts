import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { BenchRun } from './report/bench-run.js';
import { BENCHES, renderReport } from './report/render-report.js';

// Usage: node dist/bench/report.js [--only TEXT,TEXT] [--runs N] [--from FOLDER] [--opm PATH] [--olm PATH]
// [--catalogd PATH] [--operator-controller PATH]. Runs all benches one after the other and writes one page
// with plots and raw data into dist/bench-report; --from writes the page anew from raw data. What is there
// of a bench that is not run again stays.

const ORIGINALS = ['opm', 'olm', 'catalogd', 'operator-controller'] as const;
const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    runs: text,
    from: text,
    opm: text,
    olm: text,
    catalogd: text,
    'operator-controller': text,
  },
});

const OUT = values.from ?? 'dist/bench-report';
const METHOD = values.from === undefined ? '../../bench/README.md' : '../README.md';
/** Benches that take a number of runs. */
const REPEATED = new Set(['compare', 'catalogs', 'resolution', 'lifecycle', 'extension-install']);
const MOST_ERROR = 2_000;

if (values.from === undefined) await runAll();
write();

async function runAll(): Promise<void> {
  const wanted = values.only.split(',').map((part) => part.trim());
  const chosen = Object.keys(BENCHES).filter((name) => wanted.some((part) => part === '' || part === name));
  if (chosen.length === 0) {
    process.stderr.write(`--only: there is no bench ${values.only}. There are: ${Object.keys(BENCHES).join(', ')}\n`);
    process.exit(2);
  }
  mkdirSync(join(OUT, 'raw'), { recursive: true });
  for (const bench of chosen) {
    process.stderr.write(`${bench} …\n`);
    const run = await runOf(bench);
    writeFileSync(join(OUT, 'raw', `${bench}.json`), `${JSON.stringify(run, null, 2)}\n`);
    process.stderr.write(`${bench}: exit code ${run.exit} after ${Math.round(run.seconds ?? 0)} s\n`);
    if (run.exit !== 0) process.exitCode = 1;
  }
}

async function runOf(bench: string): Promise<BenchRun> {
  const runs = values.runs !== undefined && REPEATED.has(bench) ? ['--runs', values.runs] : [];
  const given = bench === 'compare' ? ORIGINALS.filter((name) => values[name] !== undefined) : [];
  const paths = given.flatMap((name) => [`--${name}`, values[name] ?? '']);
  const command = ['node', `dist/bench/${bench}.js`, ...runs, ...given.map((name) => `--${name} PATH`)].join(' ');
  const [start, startedAt, before] = [performance.now(), new Date().toISOString(), loadavg()[0] ?? 0];
  const child = spawn(process.execPath, [`dist/bench/${bench}.js`, ...runs, ...paths], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, error] = ['', ''].map(() => [] as string[]);
  child.stdout.on('data', (chunk: Buffer) => output?.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => error?.push(chunk.toString()));
  const exit = await new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  const seconds = Math.round(performance.now() - start) / 1_000;
  const load: [number, number] = [before, loadavg()[0] ?? 0];
  const failure = exit === 0 ? '' : (error?.join('').slice(-MOST_ERROR) ?? '');
  return { bench, command, startedAt, seconds, load, exit, output: output?.join('') ?? '', error: failure };
}

function write(): void {
  const raw = join(OUT, 'raw');
  const names = existsSync(raw) ? readdirSync(raw).filter((name) => name.endsWith('.json')) : [];
  const runs = names.map((name) => BenchRun.parse(JSON.parse(readFileSync(join(raw, name), 'utf8'))));
  for (const name of existsSync(OUT) ? readdirSync(OUT) : []) if (name.endsWith('.svg')) rmSync(join(OUT, name));
  for (const [path, content] of renderReport(runs, METHOD)) {
    mkdirSync(dirname(join(OUT, path)), { recursive: true });
    writeFileSync(join(OUT, path), content);
  }
  process.stdout.write(`${runs.length} benches in ${join(OUT, 'README.md')}\n`);
}
