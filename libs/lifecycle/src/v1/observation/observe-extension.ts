import type { ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import type { ClusterExtension } from '#core/kernel/api/cluster-extension';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { byCodeUnit, canonicalHash } from '#core/kernel/canonical/canonical-json';
import {
  asksCatalog,
  desiredExtension,
  type ExtensionPackage,
  type ExtensionProblem,
  type ExtensionSlice,
} from '#core/v1/extension/extension-problem';
import type { FeatureGates } from '#core/v1/extension/package-content';
import { bundleOf, revisionStates } from '#core/v1/revision/revision-states';
import type { ExtensionProblems } from '#platform/store/problem-store.port';
import type { CatalogInSight } from '../../catalogs/cluster-catalogs/served-catalogs.js';
import type { ObservedProblem } from '../../engine/publishing/publish-problem.js';
import type { CatalogPackages } from './catalog-packages.js';

/**
 * Returns the extension's problem. Undefined if its solution would have no effect, or a catalog has not
 * answered yet.
 */
export async function observeExtension(
  extension: ClusterExtension,
  revisions: readonly ClusterObjectSet[],
  catalogs: readonly CatalogInSight[],
  packages: CatalogPackages,
  gates: FeatureGates,
): Promise<ObservedProblem<ExtensionProblems> | undefined> {
  if (extension.metadata.deletionTimestamp !== undefined) return undefined;
  const { installed } = revisionStates(revisions);
  const desired = desiredExtension(extension, installed && bundleOf(installed).bundle, gates);
  if (desired === undefined) return undefined;
  const asked = catalogs
    .filter(({ catalog }) => asksCatalog(desired.query, catalogFacts(catalog)))
    .toSorted((a, b) => byCodeUnit(nameOf(a), nameOf(b)));
  if (asked.some(({ settled }) => !settled)) return undefined;
  const records = new Map<string, ExtensionPackage>();
  const slices: ExtensionSlice[] = [];
  for (const one of asked) {
    const base = { name: nameOf(one), priority: one.catalog.spec.priority ?? 0 };
    if (one.served === undefined) {
      slices.push({ ...base, error: `catalog "${base.name}" is not being served` });
      continue;
    }
    const found = await packages.of(one.served.content, desired.query.packageName);
    if ('error' in found) slices.push({ ...base, error: found.error });
    else if (found.record === undefined) slices.push(base);
    else {
      records.set(found.hash, found.record);
      slices.push({ ...base, record: found.hash });
    }
  }
  const problem: ExtensionProblem = { v: 1, extension: desired, catalogs: slices };
  return { hash: canonicalHash(problem), problem, records };
}

const nameOf = ({ catalog }: CatalogInSight): string => catalog.metadata.name ?? '';

const catalogFacts = ({ metadata, spec }: ClusterCatalog) => ({
  labels: metadata.labels ?? {},
  availabilityMode: spec.availabilityMode ?? 'Available',
});
