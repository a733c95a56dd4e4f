import { basename } from 'node:path';
import { type ImportGraph, modulesThatReach } from './import-graph.ts';

/** Suites of `make test` and `make test-all`: projects of vitest.config.ts. */
export type Suite = 'unit' | 'integration' | 'extended';

/** Returns the suite of a spec file; undefined for those with a make target of their own. */
export function suiteOf(path: string): Suite | undefined {
  if (!path.endsWith('.spec.ts') || /^test\/(e2e|console|compose)\//.test(path)) return undefined;
  if (path.endsWith('.extended.spec.ts')) return 'extended';
  return path.startsWith('test/integration/') ? 'integration' : 'unit';
}

/** Files that every test depends on. */
const OF_ALL = /^(package(-lock)?\.json|tsconfig\.json|vitest\.config\.ts)$/;

/** Project files, their modules and the texts of these. */
export type Sources = Readonly<{ graph: ImportGraph; texts: ReadonlyMap<string, string> }>;

/**
 * Returns the spec files that depend on changed files. If a file is no module, these are the specs whose own
 * modules name it or its folder, and those of `test/rules`.
 */
export function testsOfChange(changed: readonly string[], { graph, texts }: Sources): string[] {
  const specs = [...graph.keys()].filter((path) => suiteOf(path) !== undefined);
  if (changed.some((path) => OF_ALL.test(path))) return specs.toSorted();
  const modules = changed.filter((path) => graph.has(path));
  const others = changed.filter((path) => !graph.has(path) && !/\.tsx?$/.test(path));
  const readers = [...texts].filter(([, text]) => others.some((path) => names(text, path))).map(([path]) => path);
  const reached = modulesThatReach([...modules, ...readers], graph);
  return specs.filter((path) => reached.has(path) || (others.length > 0 && path.startsWith('test/rules/'))).toSorted();
}

/** True if a module names the file, or the top folder that it lies in, as a text of its own. */
const names = (text: string, path: string): boolean => {
  const [top = ''] = path.split('/');
  return text.includes(`/${basename(path)}'`) || text.includes(`'${path}'`) || text.includes(`'${top}'`);
};

/** Returns the spec files that start or ask a Redis. */
export const testsWithRedis = ({ graph }: Sources): string[] =>
  [
    ...modulesThatReach(
      ['libs/platform/src/redis/local/find-redis.ts', 'libs/platform/src/redis/local/local-redis.ts'],
      graph,
    ),
  ]
    .filter((path) => suiteOf(path) === 'integration' || suiteOf(path) === 'extended')
    .toSorted();

/** The meaning of `ONLY=`: spec files by part of their path, otherwise tests by part of their title. */
export type Only = Readonly<{ files: readonly string[]; title?: string }>;

/** Returns the spec files that `only` names: by path, otherwise those that hold the title. */
export function testsNamed(only: string, { graph, texts }: Sources): Only {
  const specs = [...graph.keys()].filter((path) => suiteOf(path) !== undefined).toSorted();
  const byPath = specs.filter((path) => path.includes(only.replace(/^\.\//, '')));
  if (byPath.length > 0) return { files: byPath };
  const holding = specs.filter((path) => texts.get(path)?.includes(only));
  return { files: holding.length > 0 ? holding : specs, title: only };
}
