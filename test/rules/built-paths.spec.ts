import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { readImportGraph } from '../../scripts/tests/import-graph.js';

const BUILT = /\bdist\/((?:apps|bench|libs|scripts|test)\/[\w./-]+)\.js\b/g;

/** Files below `dist` that a module names, and that no source is built into. */
const lostPaths = (text: string, isSource: (path: string) => boolean): readonly string[] =>
  [...text.matchAll(BUILT)].flatMap(([path, source = '']) =>
    [`${source}.ts`, `${source}.tsx`].some(isSource) ? [] : [path],
  );

it('finds a file below dist whose source has moved', () => {
  const text = "new URL('../../dist/libs/core/src/a.js'); `dist/libs/core/src/b.js`; 'dist/programs/flotilla.js'";
  expect(lostPaths(text, (path) => path === 'libs/core/src/a.ts')).toEqual(['dist/libs/core/src/b.js']);
});

it('each file below dist that a module names has a source', () => {
  const { texts } = readImportGraph(PROJECT_ROOT);
  const isSource = (path: string) => existsSync(join(PROJECT_ROOT, path));
  const named = [...texts].filter(([, text]) => text.includes('dist/'));
  expect(named.length).toBeGreaterThan(10);
  const lost = named.flatMap(([path, text]) => lostPaths(text, isSource).map((one) => `${path}: ${one}`));
  expect(lost.filter((line) => !line.startsWith('test/rules/'))).toEqual([]);
});
