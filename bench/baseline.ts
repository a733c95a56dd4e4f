import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { commandPairs, extensionPairs, resolutionPairs } from './baseline/paired-benches.js';
import { benchCatalogs, REAL } from './catalogs/bench-catalogs.js';
import type { BenchCatalog } from './catalogs/measures.js';
import { type Comparison, compare } from './compare/comparison.js';
import { fullHead, fullRows } from './compare/render-comparison.js';
import { serverQuestions, serverStart, startServers } from './compare/server-questions.js';
import { hasGnuTime } from './compare/timed-command.js';
import { machine } from './machine.js';
import { ownServer } from './metas/catalog-server.js';

// Usage: node dist/bench/baseline.js --baseline CHECKOUT [--runs 5] [--only TEXT,TEXT]. Runs the same
// benches of another checkout, after `make build` there, and of this one, in turns, to find work that became
// slower.

const { values } = parseArgs({
  options: {
    baseline: { type: 'string', default: '' },
    runs: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
  },
});
const pairs = Number(values.runs);
if (!Number.isInteger(pairs) || pairs < 1)
  refuse(`--runs: ${JSON.stringify(values.runs)} is not a whole number above 0`);
const checkout = resolve(values.baseline);
if (values.baseline === '' || !existsSync(join(checkout, 'dist/bench/resolution.js')))
  refuse('--baseline: name a folder with another checkout in which `make build` has run');
if (!hasGnuTime()) refuse('GNU time, which measures the programs, is not there: apt-get install time');

const wanted = values.only.split(',').map((part) => part.trim().toLowerCase());
const folder = await mkdtemp(join(tmpdir(), 'flotilla-baseline-'));
try {
  process.stdout.write(`${machine()}; ${commitOf(checkout)} and ${commitOf('.')}, ${pairs} pairs in turns\n\n`);
  process.stdout.write(fullHead(commitOf(checkout), commitOf('.')));
  const catalogs = await benchCatalogs(folder);
  for (const comparison of await commandPairs(checkout, catalogs, folder)) await report(comparison);
  // Each looks for it beside its own folder.
  const real = [checkout, '.'].every((root) => existsSync(join(root, REAL)));
  for (const comparison of await resolutionPairs(checkout, folder, real)) await report(comparison);
  if (real) for (const comparison of extensionPairs(checkout, folder)) await report(comparison);
  else process.stdout.write(`\nNot run: cases of the public catalog, since not both have ${REAL} beside them.\n`);
  for (const catalog of catalogs.filter((one) => one.real)) await questions(catalog);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function questions({ directory }: BenchCatalog): Promise<void> {
  const [program = '', ...args] = ownServer(directory);
  const theirs = [join(checkout, program), ...args];
  await report(serverStart(theirs, directory));
  const servers = await startServers(theirs, directory);
  try {
    for (const comparison of await serverQuestions(servers)) await report(comparison);
  } finally {
    await servers.stop();
  }
}

async function report(comparison: Comparison): Promise<void> {
  if (!wanted.some((part) => comparison.work.toLowerCase().includes(part))) return;
  process.stdout.write(fullRows(await compare(comparison, pairs)));
}

/** The commit that was built; of checkouts that do not write it down yet, the one that is checked out. */
function commitOf(root: string): string {
  const file = join(root, 'dist/COMMIT');
  const checkedOut = () => spawnSync('git', ['-C', root, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout;
  return (existsSync(file) ? readFileSync(file, 'utf8') : checkedOut()).trim().slice(0, 8) || 'unknown commit';
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  return process.exit(2);
}
