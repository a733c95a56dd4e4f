import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type CatalogShape, generateCatalog } from './catalogs/generate-catalog.js';
import { type ComparedCatalogs, catalogCommands } from './compare/catalog-commands.js';
import { type Compared, type Comparison, compare } from './compare/comparison.js';
import { extensionChoice } from './compare/extension-choice.js';
import { fullHead, fullRows, SHORT_HEAD, shortRow } from './compare/render-comparison.js';
import { resolverCases } from './compare/resolver-cases.js';
import { serverQuestions, serverStart, startServers } from './compare/server-questions.js';
import { hasGnuTime } from './compare/timed-command.js';
import { machine } from './machine.js';

// Usage: node dist/bench/compare.js [--opm PATH] [--olm PATH] [--catalogd PATH] [--operator-controller PATH]
// [--runs 5] [--only TEXT,TEXT]. The original programs and ours do the same work in turns, in one run.

const REAL = '../shared/data/catalogs/v4.20';
const ORIGINALS = ['opm', 'olm', 'catalogd', 'operator-controller'] as const;
type Original = (typeof ORIGINALS)[number];

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    opm: text,
    olm: text,
    catalogd: text,
    'operator-controller': text,
    runs: { type: 'string', default: '5' },
    /** Only work with one of these texts in its name, separated by commas. */
    only: { type: 'string', default: '' },
  },
});
const pairs = Number(values.runs);
if (!Number.isInteger(pairs) || pairs < 1)
  refuse(`--runs: ${JSON.stringify(values.runs)} is not a whole number above 0`);
for (const name of ORIGINALS) {
  const path = values[name];
  if (path !== undefined && !existsSync(path)) refuse(`--${name}: there is no file ${path}`);
}
if (!hasGnuTime()) refuse('GNU time, which measures the programs, is not there: apt-get install time');

const wanted = values.only.split(',').map((part) => part.trim().toLowerCase());
const known: string[] = [];
const compared: Compared[] = [];
const folder = await mkdtemp(join(tmpdir(), 'flotilla-compare-'));
try {
  process.stdout.write(`${head()}\n\n${fullHead('original', 'Flotilla')}`);
  for (const comparison of catalogCommands(pathOf('opm'), catalogs(), folder)) await report(comparison);
  for (const comparison of await resolverCases(pathOf('olm'), folder)) await report(comparison);
  for (const comparison of extensionChoice(pathOf('operator-controller'), folder)) await report(comparison);
  if (existsSync(REAL)) await questions();
  process.stdout.write(`\n${notRun().join('\n')}\n\nFor README.md, medians:\n\n${SHORT_HEAD}`);
  for (const one of compared) process.stdout.write(shortRow(one));
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
if (compared.length === 0) refuse(`--only: no work has ${values.only} in its name. There are:\n${known.join('\n')}`);

async function questions(): Promise<void> {
  // A program of a few lines around catalogd's storage and handler.
  const path = pathOf('catalogd');
  const catalogd = path === undefined ? undefined : [path, REAL];
  await report(serverStart(catalogd, REAL));
  const servers = await startServers(catalogd, REAL);
  try {
    for (const comparison of await serverQuestions(servers)) await report(comparison);
  } finally {
    await servers.stop();
  }
}

async function report(comparison: Comparison): Promise<void> {
  known.push(comparison.work);
  if (!wanted.some((part) => comparison.work.toLowerCase().includes(part))) return;
  const one = await compare(comparison, pairs);
  compared.push(one);
  process.stdout.write(fullRows(one));
}

function catalogs(): ComparedCatalogs {
  const made = (name: string, shape: CatalogShape) => {
    const directory = join(folder, name);
    return { directory, make: async () => existsSync(directory) || (await generateCatalog(directory, shape)) };
  };
  return {
    large: made('large', { packages: 400, bundles: 25, textLength: 12_500, format: 'json' }),
    oneBundle: made('one', { packages: 1, bundles: 1, textLength: 1_000, format: 'yaml' }),
    ...(existsSync(REAL) ? { real: REAL } : {}),
  };
}

function head(): string {
  const commit = readFileSync('dist/COMMIT', 'utf8').trim().slice(0, 8);
  const versions = ORIGINALS.flatMap((name) => versionOf(name) ?? []);
  const originals = versions.length === 0 ? '' : `; ${versions.join(', ')}`;
  return `${machine()}; Flotilla ${commit}${originals}; ${pairs} pairs in turns, of the longest work 3`;
}

/** Returns the version that an original program reports, in one line. */
function versionOf(name: Original): string | undefined {
  const path = pathOf(name);
  if (path === undefined) return undefined;
  const { stdout } = spawnSync(path, [name === 'opm' ? 'version' : '--version'], { encoding: 'utf8', timeout: 10_000 });
  const named = /OpmVersion:"([^"]+)"/.exec(stdout)?.[1] ?? stdout.trim().split('\n')[0]?.slice(0, 120);
  return `${name} ${named || 'of unknown version'}`;
}

function pathOf(name: Original): string | undefined {
  const path = values[name];
  return path === undefined ? undefined : resolve(path);
}

function notRun(): string[] {
  const missing = ORIGINALS.filter((name) => values[name] === undefined).map(
    (name) => `Not run: ${name}, since ${name.toUpperCase().replace('-', '_')}=PATH names none.`,
  );
  const real = existsSync(REAL) ? [] : [`Not run: what needs the public catalog v4.20, since ${REAL} is not there.`];
  return [
    ...missing,
    ...real,
    'Not run: installs and upgrades, which need a control plane with OLM in it; `make bench-lifecycle` measures ours.',
  ];
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  return process.exit(2);
}
