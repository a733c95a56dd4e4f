import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Suite, suiteOf, testsOfChange } from './choose-tests.ts';
import { readImportGraph } from './import-graph.ts';
import { type Mutation, mutationsOf, randomOf } from './mutations.ts';

// Usage: node scripts/tests/try-mutants.ts [--seed N] [--count 30] [--from 1]. Changes one operator, constant
// or branch of a module of core, lifecycle or platform at a time. Names the suite that finds it: that of
// `make test`, or only the rest of `make test-all`. A spec file finds a mutant if it fails with it and passes
// without it. Changes files: run it in a checkout of its own, with Redis on PATH. `--from N` goes on with the
// N-th mutant.

const root = resolve(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: '30' },
    from: { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const sources = readImportGraph(root);
const random = randomOf(seed);
const folder = mkdtempSync(join(tmpdir(), 'flotilla-mutants-'));

type Mutant = Readonly<{ path: string; mutation: Mutation }>;

const isProduct = (path: string): boolean =>
  /^libs\/(core|lifecycle|platform)\/src\//.test(path) && !/\.(spec|fixture|conformance)\.ts$/.test(path);

/** Mutations of all modules, each as likely as another. */
function mutants(count: number): Mutant[] {
  const all = [...sources.texts]
    .filter(([path]) => isProduct(path))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, text]) => mutationsOf(text).map((mutation) => ({ path, mutation })));
  console.log(`${all.length} mutations; seed ${seed}`);
  return Array.from({ length: count }, () => all[Math.floor(random() * all.length)]).filter((one) => one !== undefined);
}

const Results = z.object({ testResults: z.array(z.object({ name: z.string(), status: z.string() })) });

/** Runs spec files until the first failure. Returns those that failed; all of them if there is no report. */
function failing(suite: Suite, files: readonly string[]): readonly string[] {
  if (files.length === 0) return [];
  if (suite !== 'unit' && spawnSync('make', ['-s', 'build'], { cwd: root, stdio: 'ignore' }).status !== 0) return files;
  const output = join(folder, 'results.json');
  rmSync(output, { force: true });
  const report = ['--reporter', 'json', '--outputFile', output];
  const args = ['run', '--project', suite, '--bail', '1', ...report, ...files];
  const { status } = spawnSync('vitest', args, { cwd: root, stdio: 'ignore', timeout: 1_800_000 });
  if (status === 0) return [];
  if (!existsSync(output)) return files;
  const failed = Results.parse(JSON.parse(readFileSync(output, 'utf8'))).testResults.filter(
    (one) => one.status === 'failed',
  );
  return failed.length === 0 ? files : failed.map(({ name }) => relative(root, name));
}

/** Writes the module of a mutant, changed or as it was. */
function write({ path, mutation: { start, end, by } }: Mutant, isChanged: boolean): void {
  const text = sources.texts.get(path) ?? '';
  writeFileSync(join(root, path), isChanged ? text.slice(0, start) + by + text.slice(end) : text);
}

/** Spec files that failed without any change: their failure shows nothing. */
const flakes = new Set<string>();

/** True if files of a suite fail with the mutant, and pass without it. */
function finds(mutant: Mutant, suite: Suite, files: readonly string[]): boolean {
  write(mutant, true);
  const failed = failing(suite, files);
  write(mutant, false);
  if (failed.length === 0) return false;
  const without = failing(suite, failed);
  for (const file of without) flakes.add(file);
  if (without.length === 0) return true;
  return finds(
    mutant,
    suite,
    files.filter((file) => !without.includes(file)),
  );
}

/** The first suite that finds a mutant; those that lie beside the module are run first. */
function finder(mutant: Mutant): Suite | 'none' {
  const tests = testsOfChange([mutant.path], sources);
  const of = (suite: Suite) => tests.filter((test) => suiteOf(test) === suite);
  const isNear = (test: string) => dirname(test) === dirname(mutant.path);
  const [near, far] = [of('unit').filter(isNear), of('unit').filter((test) => !isNear(test))];
  if (finds(mutant, 'unit', near) || finds(mutant, 'unit', far)) return 'unit';
  if (finds(mutant, 'integration', of('integration'))) return 'integration';
  return finds(mutant, 'extended', of('extended')) ? 'extended' : 'none';
}

const found = { unit: 0, integration: 0, extended: 0, none: 0 };
for (const [index, mutant] of mutants(Number(values.count)).entries()) {
  if (index < Number(values.from) - 1) continue;
  const { path, mutation } = mutant;
  const line = (sources.texts.get(path) ?? '').slice(0, mutation.start).split('\n').length;
  const since = Date.now();
  try {
    const by = finder(mutant);
    found[by] += 1;
    const seconds = ((Date.now() - since) / 1_000).toFixed(0);
    console.log(`| ${index + 1} | ${path}:${line} | ${mutation.what} | ${by} | ${seconds} s |`);
  } finally {
    write(mutant, false);
  }
}
rmSync(folder, { recursive: true });
const either = found.unit + found.integration + found.extended;
console.log(`make test finds ${found.unit + found.integration} of ${either} that either finds; ${found.none} by none`);
if (flakes.size > 0) console.log(`failed without any change, too: ${[...flakes].join(', ')}`);
