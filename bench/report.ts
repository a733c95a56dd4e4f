import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { BenchRun } from './report/bench-run.js';
import { BENCHES, renderReport } from './report/render-report.js';

const USAGE = `Usage: node dist/bench/report.js [--only BENCH,BENCH] [--runs N] [--from FOLDER] [--opm PATH] [--olm PATH]
  [--catalogd PATH] [--operator-controller PATH]

Runs all benches one after the other and writes one page with plots and raw data into dist/bench-report: about an hour.
What is there of a bench that is not run again stays. Exit code 1: a bench failed, which the page says; 2: nothing was run.

  --only BENCH,BENCH   these alone, of: ${Object.keys(BENCHES).join(' ')}
  --runs N             of each measurement, where a bench repeats its own
  --from FOLDER        run nothing: write the page anew from FOLDER/raw
  --opm PATH, --olm PATH, --catalogd PATH, --operator-controller PATH
                       programs to compare with; without one its rows are not run, and the page says so
`;

const ORIGINALS = ['opm', 'olm', 'catalogd', 'operator-controller'] as const;
const values = readOptions();

function readOptions() {
  const text = { type: 'string' } as const;
  const originals = { opm: text, olm: text, catalogd: text, 'operator-controller': text };
  try {
    const only = { type: 'string', default: '' } as const;
    const options = { only, runs: text, from: text, help: { type: 'boolean', short: 'h' }, ...originals } as const;
    const given = parseArgs({ options }).values;
    if (given.help) {
      process.stdout.write(USAGE);
      process.exit(0);
    }
    return given;
  } catch (error) {
    return unusable(error instanceof Error ? error.message : String(error));
  }
}

/** Said before the first bench runs: the last would end in an hour. */
function unusable(why: string): never {
  process.stderr.write(`${why}\n\n${USAGE}`);
  process.exit(2);
}

const OUT = values.from ?? 'dist/bench-report';
const METHOD = values.from === undefined ? '../../bench/README.md' : '../README.md';
/** Benches that take a number of runs. */
const REPEATED = new Set(['compare', 'catalogs', 'resolution', 'lifecycle', 'extension-install']);
const MOST_ERROR = 2_000;

if (values.from === undefined) await runAll();
write();

async function runAll(): Promise<void> {
  const wanted = values.only.split(',').map((part) => part.trim());
  const strange = wanted.filter((part) => part !== '' && BENCHES[part] === undefined);
  if (strange.length > 0) unusable(`--only: there is no bench ${strange.join(', ')}`);
  if (values.runs !== undefined && !/^[1-9]\d*$/.test(values.runs))
    unusable(`--runs: "${values.runs}" is not a number`);
  for (const name of ORIGINALS) {
    const path = values[name];
    if (path !== undefined && !existsSync(path)) unusable(`--${name}: there is no file ${path}`);
  }
  const chosen = Object.keys(BENCHES).filter((name) => wanted.some((part) => part === '' || part === name));
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
  if (values.from !== undefined && !existsSync(raw)) unusable(`--from: there is no folder ${raw}`);
  const names = existsSync(raw) ? readdirSync(raw).filter((name) => name.endsWith('.json')) : [];
  const runs = names.map((name) => BenchRun.parse(JSON.parse(readFileSync(join(raw, name), 'utf8'))));
  for (const name of existsSync(OUT) ? readdirSync(OUT) : []) if (name.endsWith('.svg')) rmSync(join(OUT, name));
  for (const [path, content] of renderReport(runs, METHOD)) {
    mkdirSync(dirname(join(OUT, path)), { recursive: true });
    writeFileSync(join(OUT, path), content);
  }
  process.stdout.write(`${runs.length} benches in ${join(OUT, 'README.md')}\n`);
}
