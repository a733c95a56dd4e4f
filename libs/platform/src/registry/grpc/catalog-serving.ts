import type { Catalog } from '#core/catalog/model/catalog';
import { opmText } from '#core/catalog/validate/catalog-problem';
import { validateCatalog } from '#core/catalog/validate/validate-catalog';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';

/** Schemas and packages of other blobs can be asked for only under such a name. */
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;

/**
 * Returns the reason why a name cannot be a schema or a package in a query (spec: file-based-catalogs.md §8).
 */
export const nameProblem = (what: 'schema' | 'package', name: string): string | undefined =>
  NAME.test(name) ? undefined : `invalid ${what} "${name}": must match ${NAME.source}`;

/**
 * The reason why a catalog is not served, in the words of `opm serve`. `place`: the blob at fault,
 * `file:line` below the catalog's root.
 */
export type ServingProblem = Readonly<{ text: string; place?: string }>;

/**
 * Returns the reason why `opm serve` would not start on this catalog, in its words. Validation goes package
 * by package, so a defect that spans packages appears at one of them. Blobs of other schemas must have plain
 * names.
 */
export function servingProblem(catalog: Catalog): ServingProblem | undefined {
  for (const [name, part] of byPackage(catalog)) {
    const problems = validateCatalog(part);
    const text = opmText(problems);
    if (text === undefined) continue;
    const place = problems[0]?.place;
    return {
      text: `failed to load or rebuild cache: failed to rebuild cache: build package index: process package "${name}": ${text}`,
      ...(place !== undefined && { place }),
    };
  }
  for (const { schema, package: pkg } of catalog.others) {
    const problem = nameProblem('schema', String(schema)) ?? (pkg ? nameProblem('package', String(pkg)) : undefined);
    if (problem !== undefined) return { text: `invalid custom schema meta: ${problem}` };
  }
  return undefined;
}

/** The catalog's parts, one for each package that any blob names, in order of name. */
function byPackage(catalog: Catalog): [string, Catalog][] {
  const packages = Map.groupBy(catalog.packages, ({ name }) => name);
  const channels = Map.groupBy(catalog.channels, (blob) => blob.package);
  const bundles = Map.groupBy(catalog.bundles, (blob) => blob.package);
  const deprecations = Map.groupBy(catalog.deprecations, (blob) => blob.package);
  const names = new Set([packages, channels, bundles, deprecations].flatMap((map) => [...map.keys()]));
  return [...names].toSorted(byCodeUnit).map((name) => [
    name,
    {
      packages: packages.get(name) ?? [],
      channels: channels.get(name) ?? [],
      bundles: bundles.get(name) ?? [],
      deprecations: deprecations.get(name) ?? [],
      others: [],
      ...(catalog.starts && { starts: catalog.starts }),
    },
  ]);
}
