import { execFileSync, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { type Suite, suiteOf, testsNamed, testsOfChange, testsWithRedis } from './choose-tests.ts';
import { readImportGraph } from './import-graph.ts';

// Usage: node scripts/tests/run-tests.ts SUITE… Runs these suites, or what the environment chooses:
//   ONLY=PATH-OR-TEXT  of every suite: spec files by a part of their path, otherwise tests by a part of
//                      their title
//   CHANGED=1|COMMIT   of these suites: spec files that depend on what changed since HEAD, or since COMMIT
// FLOTILLA_TESTS_WITHOUT_REDIS=1 leaves out what needs Redis, and lists it (scripts/needs.sh sets it).

const root = resolve(import.meta.dirname, '../..');
const { ONLY = '', CHANGED = '', FLOTILLA_TESTS_WITHOUT_REDIS = '', CI = '' } = process.env;
const sources = readImportGraph(root);

type Choice = Readonly<{ suites: readonly Suite[]; files?: readonly string[]; title?: string }>;

const git = (...args: readonly string[]): string[] =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);

function chosen(suites: readonly Suite[]): Choice {
  const all: readonly Suite[] = ['unit', 'integration', 'extended'];
  if (ONLY !== '') return { suites: all, ...testsNamed(ONLY, sources) };
  if (CHANGED === '') return { suites };
  const since = CHANGED === '1' ? 'HEAD' : CHANGED;
  const changed = [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')];
  const files = testsOfChange(changed, sources).filter((path) => isIn({ suites }, path));
  console.log(`tests: ${files.length} spec files depend on ${changed.length} files changed since ${since}`);
  return { suites, files };
}

/** Returns the choice without the spec files that need Redis, and lists those. */
function withoutRedis(choice: Choice): Choice {
  const away = new Set(testsWithRedis(sources));
  const specs = choice.files ?? [...sources.graph.keys()].filter((path) => isIn(choice, path));
  const left = specs.filter((path) => away.has(path)).toSorted();
  for (const path of left) console.log(`not run: ${path} needs Redis`);
  return { ...choice, files: specs.filter((path) => !away.has(path)) };
}

const isIn = ({ suites }: Choice, path: string): boolean => suites.some((suite) => suite === suiteOf(path));

const named = process.argv.slice(2) as Suite[];
const isWithoutRedis = FLOTILLA_TESTS_WITHOUT_REDIS !== '';
const choice = isWithoutRedis ? withoutRedis(chosen(named)) : chosen(named);
if (choice.files?.length === 0) {
  console.log('0 passed, 0 failed');
  process.exit();
}
const startsPrograms = (choice.files ?? ['test/integration/']).some((path) => suiteOf(`${path}.spec.ts`) !== 'unit');
if (startsPrograms) run('make', ['-s', 'build']);
if (startsPrograms && !isWithoutRedis) run(process.execPath, ['dist/scripts/prepare-redis.js']);
// A title is text; the option takes an expression.
const title = choice.title === undefined ? [] : ['-t', choice.title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)];
// One project: its workers load the modules once for all of the suites.
const variables = { FLOTILLA_TEST_SUITES: choice.suites.join(' ') };
run('vitest', ['run', '--project', choice.suites.join(' and '), ...title, ...(choice.files ?? [])], variables);
// In CI tests that were not run are a failure.
if (isWithoutRedis && !['', '0', 'false'].includes(CI)) process.exitCode = 1;

function run(command: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): void {
  const compiled = join(root, 'node_modules/.cache/compiled');
  const environment = { ...process.env, NODE_COMPILE_CACHE: compiled, ...variables };
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: environment });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
