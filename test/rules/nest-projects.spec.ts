import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');
const Project = z.looseObject({
  type: z.enum(['application', 'library']),
  root: z.string(),
  sourceRoot: z.string(),
  entryFile: z.string().optional(),
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

  it.each(Object.entries(projects))(
    '%s names the program it starts with, and only an app has one',
    (_name, project) => {
      const { type, sourceRoot, entryFile } = project;
      expect(entryFile !== undefined).toBe(type === 'application');
      if (entryFile !== undefined) expect(existsSync(join(root, sourceRoot, `${entryFile}.ts`))).toBe(true);
    },
  );
});

describe('package.json', () => {
  const { dependencies } = z
    .looseObject({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const sources = ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.(spec|fixture)\.ts$/.test(name))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  );
  const imported = new Set(
    sources.flatMap((source) =>
      [...source.matchAll(/(?:from |import\(|require\(|^import )'((?:@[^/']+\/)?[^/'.#]+)/gm)].map(([, name]) => name),
    ),
  );

  it.each(Object.keys(dependencies))('%s is imported by the product', (name) => {
    expect(imported.has(name) || PEERS.has(name)).toBe(true);
  });
});

/** Packages that Nest itself asks for. */
const PEERS: ReadonlySet<string> = new Set(['rxjs']);
