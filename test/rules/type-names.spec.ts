import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

/** Names that two files may export. A name is removed here when one of the two gets another name. */
const TWICE: Readonly<Record<string, string>> = {
  OwnerReference: 'one thing: the simulator has its own type, so that it does not share the code that it tests',
};

const files = globSync('{libs,apps}/**/*.ts', { cwd: PROJECT_ROOT })
  .filter((path) => !path.includes('node_modules'))
  .sort();

/** The types, interfaces, classes and enums that a source exports. */
const typesOf = (source: string): readonly string[] =>
  [...source.matchAll(/^export (?:abstract )?(?:type|interface|class|enum) (\w+)/gm)].map(([, name = '']) => name);

it('reads the names of exported types', () => {
  const source = 'export type A = 1;\ntype B = 2;\nexport abstract class C {}\nexport interface D {}\nexport { E };\n';
  expect(typesOf(source)).toEqual(['A', 'C', 'D']);
});

it('no two files export types of one name', () => {
  const filesByName = new Map<string, readonly string[]>();
  for (const path of files)
    for (const name of typesOf(readFileSync(join(PROJECT_ROOT, path), 'utf8')))
      filesByName.set(name, [...(filesByName.get(name) ?? []), path]);
  expect(filesByName.size).toBeGreaterThan(500);
  const twice = [...filesByName].filter(([, paths]) => paths.length > 1);
  expect(twice.filter(([name]) => !(name in TWICE)).map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([]);
  expect(twice.map(([name]) => name).sort()).toEqual(Object.keys(TWICE).sort());
});
