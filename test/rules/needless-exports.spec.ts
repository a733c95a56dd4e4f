import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { readImportGraph } from '../../scripts/tests/import-graph.js';

const EXPORTED =
  /^export (?:declare )?(?:default )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm;
const NAMED = /(?:import|export)\s+(?:type\s+)?(?:(\w+)\s*,?\s*)?(?:\{([^}]*)\}\s*)?from\s*'([^']+)'/g;
/** The whole module is taken, and any of its names may be used. */
const WHOLE = /(?:\*(?:\s+as\s+\w+)?\s+from\s*|import\(\s*)'([^']+)'/g;
const PRODUCT = /^(?:apps|libs)\/(?!testing\/).*(?<!\.(?:spec|fixture|conformance))\.tsx?$/;

/** Names that a module exports and that no other module imports, as `path: name`. */
function needlessExports(texts: ReadonlyMap<string, string>): readonly string[] {
  const used = new Map<string, Set<string>>();
  const note = (path: string | undefined, names: readonly string[]) => {
    if (path !== undefined) used.set(path, new Set([...(used.get(path) ?? []), ...names]));
  };
  for (const [path, text] of texts) {
    for (const [, byDefault = '', names = '', from = ''] of text.matchAll(NAMED)) {
      const listed = names.split(',').map((name) =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/ as .*$/s, ''),
      );
      note(moduleOf(path, from, texts), byDefault === '' ? listed : ['default', ...listed]);
    }
    for (const [, from = ''] of text.matchAll(WHOLE)) note(moduleOf(path, from, texts), ['*']);
  }
  return [...texts]
    .filter(([path]) => PRODUCT.test(path) && used.get(path)?.has('*') !== true)
    .flatMap(([path, text]) =>
      [...text.matchAll(EXPORTED)].flatMap(([line, name = '']) =>
        line.includes(' default ') || used.get(path)?.has(name) === true ? [] : [`${path}: ${name}`],
      ),
    );
}

function moduleOf(path: string, name: string, texts: ReadonlyMap<string, string>): string | undefined {
  const isOwn = name.startsWith('#') || name.startsWith('.');
  const from = name.startsWith('#')
    ? name.replace(/^#(\w+)\/(.*)$/, 'libs/$1/src/$2')
    : normalize(join(dirname(path), name)).replace(/\.(?:js|ts|tsx)$/, '');
  return isOwn ? [`${from}.ts`, `${from}.tsx`].find((one) => texts.has(one)) : undefined;
}

it('finds an export that only its own module uses', () => {
  const texts = new Map([
    ['libs/core/src/a.ts', 'export const used = 1;\nexport type Unused = number;\nexport const tested = used;\n'],
    [
      'libs/core/src/b.ts',
      "import { type Other, used as mine } from './a.js';\nexport type Taken = Other & typeof mine;\n",
    ],
    ['libs/core/src/a.spec.ts', "import { tested } from './a.js';\nimport * as all from './b.js';\n"],
  ]);
  expect(needlessExports(texts)).toEqual(['libs/core/src/a.ts: Unused']);
});

it('no module exports what only itself uses', () => {
  expect(needlessExports(readImportGraph(PROJECT_ROOT).texts)).toEqual([]);
});
