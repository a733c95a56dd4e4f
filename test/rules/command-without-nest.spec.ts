import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const COMMAND = 'apps/cli/src';
/** Loaded when a verb runs services: `up` and the demos. */
const SERVICES = /^commands\/(up|demo)\/(?!\w+\.command)/;
const LOADED_AT_ONCE = /^(?:import|export) (?!type )(?:[^'";]* from )?'([^']+)';$/gm;

const importsOf = (path: string): string[] =>
  [...readFileSync(join(root, path), 'utf8').matchAll(LOADED_AT_ONCE)].flatMap(([, name = '']) => {
    if (name.startsWith('@nestjs/')) return [name];
    const plain = name.startsWith('#') ? name.replace(/^#(\w+)\/(.*)$/, 'libs/$1/src/$2.ts') : '';
    const found = name.startsWith('.') ? join(dirname(path), name).replace(/\.js$/, '.ts') : plain;
    return found.endsWith('.ts') && existsSync(join(root, found)) ? [found] : [];
  });

/** The imports that lead from the module to Nest; undefined if there is none. */
function wayToNest(path: string, known: Map<string, string | undefined>): string | undefined {
  if (path.startsWith('@nestjs/')) return path;
  if (!known.has(path)) {
    known.set(path, undefined);
    const [way] = importsOf(path).flatMap((one) => wayToNest(one, known) ?? []);
    known.set(path, way && `${path} → ${way}`);
  }
  return known.get(path);
}

it('the command loads Nest only where it runs services (decision 0021)', () => {
  const known = new Map<string, string | undefined>();
  const files = readdirSync(join(root, COMMAND), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(name) && !SERVICES.test(name))
    .map((name) => join(COMMAND, name));
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((path) => wayToNest(path, known) ?? [])).toEqual([]);
  expect(wayToNest('apps/applier/src/main.ts', new Map())).toContain('@nestjs/');
});
