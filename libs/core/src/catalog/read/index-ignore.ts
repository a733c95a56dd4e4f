import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { CatalogLoadError } from '../model/catalog-load.error.js';
import { compileGlob } from './glob.js';

/** Name of the file that keeps other files out of a catalog. */
export const INDEX_IGNORE = '.indexignore';

/** Most patterns in all files of a catalog: each is tried on each path. */
const MAX_IGNORE_PATTERNS = 1_000;

type Pattern = Readonly<{ keeps: boolean; matches: (path: readonly string[]) => boolean }>;

/**
 * Returns a function that is true for files left out of the catalog. `ignoreFiles` maps the path of each
 * `.indexignore` to its text. All patterns form one list, upper directories first; the last that matches
 * decides (spec: file-based-catalogs.md §1.1). Throws {@link CatalogLoadError} when there are more than
 * {@link MAX_IGNORE_PATTERNS}.
 */
export function ignoreMatcher(ignoreFiles: ReadonlyMap<string, string>): (path: string) => boolean {
  const patterns = [...ignoreFiles]
    .map(([path, text]) => ({ directory: path.split('/').slice(0, -1), text }))
    .sort((a, b) => walkOrder(a.directory, b.directory))
    .flatMap(({ directory, text }) => patternLines(text).map((line) => parsePattern(line, directory)));
  if (patterns.length > MAX_IGNORE_PATTERNS) {
    throw new CatalogLoadError(INDEX_IGNORE, `more than ${MAX_IGNORE_PATTERNS} patterns in all ${INDEX_IGNORE} files`);
  }
  return (path) => {
    const components = path.split('/');
    const decisive = patterns.findLast(({ matches }) => matches(components));
    return decisive !== undefined && !decisive.keeps;
  };
}

function walkOrder(a: readonly string[], b: readonly string[]): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const order = byCodeUnit(a[at] ?? '', b[at] ?? '');
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const patternLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

function parsePattern(line: string, directory: readonly string[]): Pattern {
  const keeps = line.startsWith('!');
  let rest = keeps ? line.slice(1) : line;
  const directoryOnly = rest.endsWith('/');
  if (directoryOnly) rest = rest.slice(0, -1);
  const matchesBelow = rest.includes('/') ? anchored(rest, directoryOnly) : anywhere(rest, directoryOnly);
  const applies = (path: readonly string[]) =>
    path.length > directory.length && directory.every((name, at) => path[at] === name);
  return { keeps, matches: (path) => applies(path) && matchesBelow(path.slice(directory.length)) };
}

const never = () => false;

/**
 * Matches any component of a path. A directory pattern does not match the last one, since that is the file.
 */
function anywhere(pattern: string, directoryOnly: boolean): (path: readonly string[]) => boolean {
  const glob = compileGlob(pattern) ?? never;
  return (path) => path.some((name, at) => glob(name) && !(directoryOnly && at === path.length - 1));
}

type Step = Readonly<{ glob: (name: string) => boolean; anyDepth: boolean }>;

/** Compares component by component from the pattern's own directory on. A matched prefix is enough. */
function anchored(pattern: string, directoryOnly: boolean): (path: readonly string[]) => boolean {
  const steps = anchoredSteps(pattern.split('/'));
  return (path) => {
    let at = 0;
    for (const { glob, anyDepth } of steps) {
      const found = anyDepth ? path.findIndex((name, index) => index >= at && glob(name)) : at;
      const name = path[found];
      if (name === undefined || !glob(name)) return false;
      at = found + 1;
    }
    return steps.length > 0 && !(directoryOnly && at === path.length);
  };
}

/**
 * Splits a pattern into steps. Empty components say nothing; `**` lets the component right behind it stand at
 * any depth, and at the end says nothing.
 */
function anchoredSteps(parts: readonly string[]): Step[] {
  const steps: Step[] = [];
  let anyDepth = false;
  for (const part of parts) {
    if (part === '' || part === '**') {
      anyDepth = part === '**';
      continue;
    }
    const glob = part.includes('**') ? never : (compileGlob(part) ?? never);
    steps.push({ glob, anyDepth });
    anyDepth = false;
  }
  return steps;
}
