import { z } from 'zod';

const Entry = z.looseObject({
  version: z.string().optional(),
  license: z.string().optional(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  dev: z.boolean().optional(),
  link: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
});
const LockFile = z.looseObject({ lockfileVersion: z.literal(3), packages: z.record(z.string(), Entry) });

/** One package of the lock file that services and the command run on. */
export type LockedPackage = Readonly<{
  /** Name and version, as npm writes them. */
  id: string;
  licence: string;
  hasInstallScript: boolean;
  /** Reason that the installed content could differ from the locked content; absent if it could not. */
  unpinned?: string;
}>;

/** The production packages of a `package-lock.json`, sorted. */
export function productionPackages(lockFile: string): LockedPackage[] {
  const { packages } = LockFile.parse(JSON.parse(lockFile));
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, entry]) => {
      const unpinned = whyUnpinned(entry);
      return {
        id: `${path.replace(/^.*node_modules\//, '')}@${entry.version ?? ''}`,
        licence: entry.license ?? '',
        hasInstallScript: entry.hasInstallScript === true,
        ...(unpinned === undefined ? {} : { unpinned }),
      };
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function whyUnpinned({ integrity = '', resolved, link }: z.infer<typeof Entry>): string | undefined {
  if (link === true) return 'it is a link to a folder';
  if (!/^sha512-[A-Za-z0-9+/=]{88}$/.test(integrity)) return 'it has no SHA-512';
  const isFromRegistry = resolved === undefined || /^https:\/\/registry\.npmjs\.org\//.test(resolved);
  return isFromRegistry ? undefined : `it comes from ${resolved}`;
}
