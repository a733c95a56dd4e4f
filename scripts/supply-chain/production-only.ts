import { z } from 'zod';

const Package = z.looseObject({ devDependencies: z.unknown() });
const LockFile = z.looseObject({ packages: z.record(z.string(), z.looseObject({ dev: z.boolean().optional() })) });

/** The text of a `package.json` and of its `package-lock.json`. */
export type ProjectFiles = Readonly<{ packageJson: string; lockFile: string }>;

/**
 * Returns the project as if it had no packages for development. npm's own `--omit=dev` leaves packages out of
 * `npm sbom` that production needs, if packages for development need them, too.
 */
export function productionOnly({ packageJson, lockFile }: ProjectFiles): ProjectFiles {
  const withoutDev = (text: unknown) => {
    const { devDependencies: _dropped, ...rest } = Package.parse(text);
    return rest;
  };
  const { packages, ...rest } = LockFile.parse(JSON.parse(lockFile));
  const kept = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  return {
    packageJson: JSON.stringify(withoutDev(JSON.parse(packageJson))),
    lockFile: JSON.stringify({
      ...rest,
      packages: Object.fromEntries(kept.map(([path, entry]) => [path, path === '' ? withoutDev(entry) : entry])),
    }),
  };
}
