import { z } from 'zod';

const Needs = z.record(z.string(), z.string()).default({});
const Entry = z.looseObject({ dependencies: Needs, optionalDependencies: Needs });
const LockFile = z.looseObject({ packages: z.record(z.string(), Entry) });

/** A package that is needed is not in the lock file. */
export class PackageNotLocked extends Error {
  override readonly name = 'PackageNotLocked';
  constructor(wanted: string, by: string) {
    super(`${by} needs the package ${wanted}, which package-lock.json does not have: run npm install`);
  }
}

/**
 * Returns the sorted folders of these packages and of all that they need at run time. They are paths in the
 * lock file (`node_modules/a/node_modules/b`).
 *
 * @throws PackageNotLocked if one of them is not in the lock file; optional ones may be missing
 */
export function packageClosure(lockFile: string, names: readonly string[]): string[] {
  const { packages } = LockFile.parse(JSON.parse(lockFile));
  const found = new Set<string>();
  const add = (name: string, from: string, optional = false): void => {
    const path = placesOf(name, from).find((place) => place in packages);
    if (path === undefined) {
      if (optional) return;
      throw new PackageNotLocked(name, from || 'the program');
    }
    if (found.has(path)) return;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {} } = packages[path] ?? {};
    for (const needed of Object.keys(dependencies)) add(needed, path, needed in optionalDependencies);
    for (const needed of Object.keys(optionalDependencies)) add(needed, path, true);
  };
  for (const name of names) add(name, '');
  return [...found].sort();
}

/**
 * Returns the places that Node searches for the package from a folder: its own node_modules first, then those
 * above.
 */
function placesOf(name: string, from: string): string[] {
  const parts = from === '' ? [] : from.split(/\/(?=node_modules\/)/);
  return Array.from({ length: parts.length + 1 }, (_, up) =>
    [...parts.slice(0, parts.length - up), `node_modules/${name}`].join('/'),
  );
}
