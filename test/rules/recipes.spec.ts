import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');

/** Lists the paths of this repository that a text names in backticks. */
const pathsOf = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:apps|libs|test|docs|k8s|charts|scripts)\/[\w./-]+)`/g)].map(([, path = '']) => path);

const isThere = (path: string): boolean => existsSync(join(PROJECT_ROOT, path));
const page = read('docs/contributing/recipes.md');
const recipes = page
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ title: text.split('\n')[0] ?? '', text }));

describe('docs/contributing/recipes.md', () => {
  it('has the six recipes, each with the number of files that it takes', () => {
    expect(recipes).toHaveLength(6);
    expect(recipes.filter(({ text }) => !/^Opened: \d+/m.test(text))).toEqual([]);
  });

  it.each(recipes)('$title: names files that exist, and a test', ({ text }) => {
    const paths = pathsOf(text);
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
    expect(paths.filter((path) => /\.spec\.ts$/.test(path)).length).toBeGreaterThan(0);
  });

  it('would notice a file that is gone', () => {
    expect(pathsOf('see `libs/core/src/gone.ts`').filter((path) => !isThere(path))).toEqual(['libs/core/src/gone.ts']);
  });
});

describe('AGENTS.md', () => {
  const folders = globSync('{libs,apps}/*/AGENTS.md', { cwd: PROJECT_ROOT }).sort();

  it('is in the folders that have rules of their own', () => {
    expect(folders).toEqual(['apps/cli/AGENTS.md', 'apps/console/AGENTS.md', 'libs/core/AGENTS.md']);
  });

  it.each(folders)('%s adds to the first one, and names files that exist', (file) => {
    const text = read(file);
    expect(text).toContain('Adds to [AGENTS.md](../../AGENTS.md)');
    const own = file.replace('AGENTS.md', file.startsWith('libs') ? 'src/' : '');
    const named = [...text.matchAll(/`([a-z][\w-]*(?:\/[\w-]+)+(?:\.ts)?)`/g)].map(([, path = '']) => path);
    const found = (path: string) => [own + path, `${own}src/${path}`, path, `libs/${path}`].some(isThere);
    const isCore = (path: string) => path.startsWith('core/') && isThere(`libs/core/src/${path.slice(5)}`);
    expect(named.filter((path) => !found(path) && !isCore(path) && !path.includes('.test'))).toEqual([]);
  });
});
