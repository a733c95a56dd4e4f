import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');
const Project = z.looseObject({
  type: z.enum(['application', 'library']),
  root: z.string(),
  sourceRoot: z.string(),
  entryFile: z.string(),
  compilerOptions: z.looseObject({ tsConfigPath: z.string() }),
});
const { projects } = z
  .looseObject({ projects: z.record(z.string(), Project) })
  .parse(JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8')));

describe('nest-cli.json', () => {
  it('has every app and library of the tree as a project, and no other', () => {
    const folders = ['apps', 'libs'].flatMap((kind) => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`));
    expect(
      Object.values(projects)
        .map((project) => project.root)
        .toSorted(),
    ).toEqual(folders.toSorted());
  });

  it.each(Object.entries(projects))('%s lies where it says, with what it is compiled by', (_name, project) => {
    expect(existsSync(join(root, project.sourceRoot)), project.sourceRoot).toBe(true);
    expect(existsSync(join(root, project.compilerOptions.tsConfigPath))).toBe(true);
    expect(project.type).toBe(project.root.startsWith('apps/') ? 'application' : 'library');
  });

  it.each(Object.entries(projects).filter(([, { type }]) => type === 'application'))(
    '%s has the program it starts with',
    (_name, { sourceRoot, entryFile }) => {
      expect(existsSync(join(root, sourceRoot, `${entryFile}.ts`))).toBe(true);
    },
  );
});
