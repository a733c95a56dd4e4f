import type { CatalogDeprecation } from '../model/catalog.js';

/**
 * Names of deprecated packages, channels and bundles. Channel and bundle names come without their package,
 * since opm's graph uses them for every package.
 */
export type Deprecated = Readonly<{
  packages: ReadonlySet<string>;
  channels: ReadonlySet<string>;
  bundles: ReadonlySet<string>;
}>;

/** Collects the names of deprecated items (spec: file-based-catalogs.md §7). */
export function deprecatedNames(deprecations: readonly CatalogDeprecation[]): Deprecated {
  const packages = new Set<string>();
  const channels = new Set<string>();
  const bundles = new Set<string>();
  for (const { package: owner, entries } of deprecations) {
    for (const { reference } of entries ?? []) {
      if (reference.schema === 'olm.package') packages.add(owner);
      if (reference.schema === 'olm.channel') channels.add(reference.name);
      if (reference.schema === 'olm.bundle') bundles.add(reference.name);
    }
  }
  return { packages, channels, bundles };
}
