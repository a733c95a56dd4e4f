import type { ChosenBundle } from '../../resolution/problem/resolution-problem.js';
import { propertiesAnnotation } from './bundle-steps.js';

/** One entry of status.bundleLookups (spec: api-types.md §4). */
export type BundleLookup = Readonly<{
  catalogSourceRef: Readonly<{ namespace: string; name: string }>;
  identifier: string;
  path: string;
  properties: string;
  replaces: string;
}>;

/**
 * Returns the origins of a plan's image bundles in OLM's form. They have no conditions, because bundles are
 * unpacked before there is a plan. Inline bundles have none.
 */
export const bundleLookups = (chosen: readonly ChosenBundle[]): BundleLookup[] =>
  chosen.flatMap(({ name, source, replaces, properties, catalog, catalogNamespace }) => {
    if (!('image' in source)) return [];
    const catalogSourceRef = { namespace: catalogNamespace, name: catalog };
    const annotation = propertiesAnnotation(properties);
    return [{ catalogSourceRef, identifier: name, path: source.image, properties: annotation, replaces }];
  });
