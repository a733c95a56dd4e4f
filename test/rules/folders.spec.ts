import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { type ImportGraph, readImportGraph } from '../../scripts/tests/import-graph.js';

/** Folders with product code that these rules hold: all of it. */
const HELD = ['libs/', 'apps/'];
const MOST_FILES = 20;
const SHORT_LINES = 15;

const PROGRAM = /\/main\.ts$/;
const PRODUCT = /^(?:apps|libs)\/.*(?<!\.(?:spec|fixture|conformance))\.tsx?$/;

/** Product modules below the held folders, each with its imports. A program that it starts is none. */
function productOf(graph: ImportGraph, held: readonly string[]): ImportGraph {
  const isProduct = (path: string) => PRODUCT.test(path) && held.some((folder) => path.startsWith(folder));
  return new Map(
    [...graph]
      .filter(([path]) => isProduct(path))
      .map(([path, to]) => [path, new Set([...to].filter((one) => isProduct(one) && !PROGRAM.test(one)))]),
  );
}

/** Imports from folder to folder that close a cycle; imports of types count. */
function circularArrows(product: ImportGraph): readonly string[] {
  const arrows = new Map<string, Set<string>>();
  for (const [path, imports] of product) {
    const from = dirname(path);
    const to = [...imports].map((one) => dirname(one)).filter((folder) => folder !== from);
    arrows.set(from, new Set([...(arrows.get(from) ?? []), ...to]));
  }
  const reached = new Map([...arrows.keys()].map((folder) => [folder, reachedFrom(folder, arrows)]));
  return [...arrows].flatMap(([from, folders]) =>
    [...folders].filter((to) => reached.get(to)?.has(from)).map((to) => `${from} → ${to}`),
  );
}

function reachedFrom(folder: string, arrows: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [folder];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const next = [...(arrows.get(one) ?? [])].filter((to) => !reached.has(to));
    for (const to of next) reached.add(to);
    open.push(...next);
  }
  return reached;
}

/** Folders with more files than `most`, those in their subfolders apart. */
function crowdedFolders(product: ImportGraph, most: number): readonly string[] {
  const files = Map.groupBy(product.keys(), dirname);
  return [...files].flatMap(([folder, { length }]) => (length > most ? [`${folder}: ${length} files`] : []));
}

/** Files of less than `short` lines beside the only product module that imports them: the two are one. */
function shortFiles(
  { graph, texts }: Readonly<{ graph: ImportGraph; texts: ReadonlyMap<string, string> }>,
  held: readonly string[],
  short: number,
): readonly string[] {
  const product = productOf(graph, ['']);
  return [...productOf(graph, held).keys()].flatMap((path) => {
    const lines = (texts.get(path) ?? '').split('\n').length - 1;
    if (lines >= short) return [];
    const [only, ...others] = [...product].flatMap(([from, to]) => (to.has(path) ? [from] : []));
    const isBeside = only !== undefined && others.length === 0 && dirname(only) === dirname(path);
    return isBeside ? [`${path}: ${only}`] : [];
  });
}

describe('in a planted tree', () => {
  const lines = (count: number) => 'x\n'.repeat(count);
  const graph: ImportGraph = new Map([
    ['libs/a/src/low/value.ts', new Set(['libs/a/src/low/short.ts'])],
    ['libs/a/src/low/short.ts', new Set<string>()],
    ['libs/a/src/low/value.spec.ts', new Set(['libs/a/src/high/use.ts', 'libs/a/src/low/short.ts'])],
    ['libs/a/src/high/use.ts', new Set(['libs/a/src/low/value.ts', 'libs/a/src/egg/egg.ts'])],
    ['libs/a/src/egg/egg.ts', new Set(['libs/a/src/egg/hen/hen.ts'])],
    ['libs/a/src/egg/hen/hen.ts', new Set(['libs/a/src/egg/shell/shell.ts'])],
    ['libs/a/src/egg/shell/shell.ts', new Set(['libs/a/src/egg/egg.ts'])],
    ['libs/a/src/main.ts', new Set(['libs/a/src/start/start.ts'])],
    ['libs/a/src/start/start.ts', new Set(['libs/a/src/main.ts'])],
    ['libs/b/src/one.ts', new Set(['libs/b/src/two.ts'])],
    ['libs/b/src/two.ts', new Set(['libs/b/src/one.ts'])],
  ]);
  const product = productOf(graph, ['libs/a/src/']);

  it('finds a circle of folders, subfolders among them', () => {
    expect(circularArrows(product)).toEqual([
      'libs/a/src/egg → libs/a/src/egg/hen',
      'libs/a/src/egg/hen → libs/a/src/egg/shell',
      'libs/a/src/egg/shell → libs/a/src/egg',
    ]);
  });

  it('counts the files of a folder without tests', () => {
    expect(crowdedFolders(product, 2)).toEqual([]);
    expect(crowdedFolders(product, 1)).toEqual(['libs/a/src/low: 2 files']);
  });

  it('finds a short file beside its only importer', () => {
    const texts = new Map([...graph.keys()].map((path) => [path, lines(path.endsWith('short.ts') ? 14 : 15)]));
    expect(shortFiles({ graph, texts }, ['libs/a/src/'], 15)).toEqual([
      'libs/a/src/low/short.ts: libs/a/src/low/value.ts',
    ]);
    expect(shortFiles({ graph, texts }, ['libs/a/src/'], 14)).toEqual([]);
  });
});

describe('in the product', () => {
  const { graph, texts } = readImportGraph(PROJECT_ROOT);
  const product = productOf(graph, HELD);

  it('no folders import each other', () => {
    expect(circularArrows(product)).toEqual([]);
  });

  it(`no folder has more than ${MOST_FILES} files`, () => {
    expect(crowdedFolders(product, MOST_FILES)).toEqual([]);
  });

  it(`no file of less than ${SHORT_LINES} lines lies beside its only importer`, () => {
    expect(shortFiles({ graph, texts }, HELD, SHORT_LINES)).toEqual([]);
  });
});
