import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Suite, suiteOf, testsOfChange } from './choose-tests.ts';
import { readImportGraph } from './import-graph.ts';
import { type Mutation, mutationsOf, randomOf } from './mutations.ts';

// Usage: node scripts/tests/try-mutants.ts [--seed N] [--count 30]. Changes one operator, constant or branch
// of a module of core, lifecycle or platform at a time. Names the suite that finds it: that of `make test`,
// or only the rest of `make test-all`. Changes files: run it in a checkout of its own, with Redis on PATH.

const root = resolve(import.meta.dirname, '../..');
const { values } = parseArgs({ options: { seed: { type: 'string' }, count: { type: 'string', default: '30' } } });
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const sources = readImportGraph(root);
const random = randomOf(seed);

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

/** Runs spec files until the first failure; true if one failed. */
function fails(suite: Suite, files: readonly string[]): boolean {
  if (files.length === 0) return false;
  if (suite !== 'unit' && spawnSync('make', ['-s', 'build'], { cwd: root, stdio: 'ignore' }).status !== 0) return true;
  const args = ['run', '--project', suite, '--bail', '1', '--reporter', 'dot', ...files];
  return spawnSync('vitest', args, { cwd: root, stdio: 'ignore', timeout: 1_800_000 }).status !== 0;
}

/** The first suite that finds a mutant; those that lie beside the module are run first. */
function finder({ path }: Mutant): Suite | 'none' {
  const tests = testsOfChange([path], sources);
  const of = (suite: Suite) => tests.filter((test) => suiteOf(test) === suite);
  const near = of('unit').filter((test) => dirname(test) === dirname(path));
  const far = of('unit').filter((test) => dirname(test) !== dirname(path));
  if (fails('unit', near) || fails('unit', far)) return 'unit';
  if (fails('integration', of('integration'))) return 'integration';
  return fails('extended', of('extended')) ? 'extended' : 'none';
}

const found = { unit: 0, integration: 0, extended: 0, none: 0 };
for (const [index, mutant] of mutants(Number(values.count)).entries()) {
  const { path, mutation } = mutant;
  const text = sources.texts.get(path) ?? '';
  const line = text.slice(0, mutation.start).split('\n').length;
  writeFileSync(join(root, path), text.slice(0, mutation.start) + mutation.by + text.slice(mutation.end));
  const since = Date.now();
  try {
    const by = finder(mutant);
    found[by] += 1;
    const seconds = ((Date.now() - since) / 1_000).toFixed(0);
    console.log(`| ${index + 1} | ${path}:${line} | ${mutation.what} | ${by} | ${seconds} s |`);
  } finally {
    writeFileSync(join(root, path), text);
  }
}
const either = found.unit + found.integration + found.extended;
console.log(`make test finds ${found.unit + found.integration} of ${either} that either finds; ${found.none} by none`);
