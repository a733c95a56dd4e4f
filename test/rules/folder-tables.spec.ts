import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import {
  FOLDER_ROOTS,
  foldersPage,
  folderTable,
  lineProblems,
  productFolders,
  withFolderTables,
} from '../../scripts/tables/folder-tables.js';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'libs', 'apps'], {
  cwd: PROJECT_ROOT,
})
  .toString()
  .split('\0')
  .filter((file) => existsSync(join(PROJECT_ROOT, file)));
const folders = productFolders(files);
const lines = new Map(
  files
    .filter((file) => /\/README\.md$/.test(file) && FOLDER_ROOTS.some((root) => file.startsWith(`${root}/`)))
    .map((file) => [file.replace(/\/README\.md$/, ''), read(file).trim()]),
);

describe('folders of the product', () => {
  it('have a README.md of one line each', () => {
    expect(folders.length).toBeGreaterThan(300);
    expect(lineProblems(folders, lines)).toEqual([]);
  });

  it('that are gone have left no README.md behind', () => {
    expect([...lines.keys()].filter((folder) => !folders.includes(folder))).toEqual([]);
  });

  it('are in the tables that "make tables" writes', () => {
    expect(read('docs/contributing/folders.md')).toBe(foldersPage(lines));
    const page = read('ARCHITECTURE.md');
    expect(withFolderTables(page, lines)).toBe(page);
    expect(page.match(/<!-- folders of /g)?.length).toBeGreaterThan(1);
  });

  it('are found in a planted tree, with those above them', () => {
    const found = productFolders(['libs/core/src/a/b/c.ts', 'libs/core/src/d/e.spec.ts', 'libs/core/other.ts']);
    expect(found).toEqual(['libs/core/src', 'libs/core/src/a', 'libs/core/src/a/b']);
    expect(lineProblems(found, new Map([['libs/core/src', 'No full stop']]))).toHaveLength(3);
  });

  it('stand in a table down to a depth', () => {
    const two = new Map([
      ['r/a', 'One.'],
      ['r/a/b', 'Two.'],
    ]);
    expect(folderTable('r', 1, two)).toBe('| folder of `r` | holds |\n|---|---|\n| `a/` | One |\n');
    const page = '<!-- folders of r, depth 2 -->\nold\n<!-- end -->\n';
    expect(withFolderTables(page, two)).toContain('| `a/b/` | Two |');
  });
});

it('docs/contributing/tests.md names each folder of test', () => {
  const page = read('docs/contributing/tests.md');
  const tests = globSync('*/', { cwd: join(PROJECT_ROOT, 'test') }).map((folder) => folder.replace(/\/$/, ''));
  expect(tests.length).toBeGreaterThan(10);
  expect(tests.filter((folder) => !page.includes(`| \`${folder}/\` |`))).toEqual([]);
});

it('ARCHITECTURE.md can be read in one sitting', () => {
  expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThanOrEqual(151);
});
