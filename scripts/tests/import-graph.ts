import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { PROGRAM_ENTRIES } from '../program-entries.ts';

/** Folders with modules, from the project's root. */
const ROOTS = ['apps', 'bench', 'libs', 'scripts', 'test'];

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;
/** A child process, a thread or a file beside the module. */
const BESIDE = /new URL\(\s*'([^']+)'/g;
const BUILT = /dist\/((?:apps|bench|libs|scripts|test)\/[\w./-]+)\.js/g;
const JOINED = /'dist',\s*((?:'[\w./-]+',?\s*)+)/g;
const PROGRAM = /dist\/programs\/([\w.-]+)\.js/g;
const COMMAND = /bin\/flotilla\b/;
/** A program with a variable as its name. */
const ANY_PROGRAM = /'programs',\s*`|programs\/\$\{/;

/** Modules by path from the root, each with the modules that it imports or starts. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads every module below `root` and follows imports, threads and started programs. */
export function readImportGraph(root: string): { graph: ImportGraph; texts: ReadonlyMap<string, string> } {
  const texts = new Map<string, string>();
  for (const folder of ROOTS) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
      const path = relative(root, join(entry.parentPath, entry.name));
      texts.set(path, readFileSync(join(root, path), 'utf8'));
    }
  }
  const graph = new Map([...texts].map(([path, text]) => [path, new Set(importsOf(path, text, texts))]));
  return { graph, texts };
}

function importsOf(path: string, text: string, known: ReadonlyMap<string, string>): string[] {
  const found = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '');
  const beside = [...found(IMPORT), ...found(BESIDE)].flatMap((name) => targetOf(path, name));
  const joined = found(JOINED).map((parts) => [...parts.matchAll(/'([^']+)'/g)].map(([, part]) => part).join('/'));
  const built = [...found(BUILT), ...joined.map((name) => name.replace(/\.js$/, ''))].map((name) => `${name}.ts`);
  const programs = [...found(PROGRAM), ...joined.map((name) => name.replace(/^programs\/(.*)\.js$/, '$1'))];
  const isTest = /^(test|bench|libs\/testing)\/|\.(spec|fixture)\.ts$/.test(path);
  const any = ANY_PROGRAM.test(text);
  const started = any ? Object.values(PROGRAM_ENTRIES) : programs.flatMap((name) => PROGRAM_ENTRIES[name] ?? []);
  if (isTest && COMMAND.test(text)) started.push(PROGRAM_ENTRIES['flotilla'] ?? '');
  return [...beside, ...built, ...started].flatMap((name) => asModule(name, known));
}

/** The path that an import means; none for packages. */
function targetOf(path: string, name: string): string[] {
  if (name.startsWith('#')) return [name.replace(/^#(\w+)\/(.*)$/, 'libs/$1/src/$2.ts')];
  if (name.startsWith('.')) return [normalize(join(dirname(path), name))];
  return [];
}

const asModule = (name: string, known: ReadonlyMap<string, string>): string[] => {
  const bare = name.replace(/\.(js|ts|tsx)$/, '').replace(/^dist\//, '');
  return [name, `${bare}.ts`, `${bare}.tsx`].filter((one) => known.has(one)).slice(0, 1);
};

/** Returns the modules that reach one of `targets`, the targets among them. */
export function modulesThatReach(targets: Iterable<string>, graph: ImportGraph): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const [path, imports] of graph) {
    for (const one of imports) importers.set(one, [...(importers.get(one) ?? []), path]);
  }
  const reached = new Set<string>();
  const open = [...targets];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    open.push(...(importers.get(path) ?? []));
  }
  return reached;
}
