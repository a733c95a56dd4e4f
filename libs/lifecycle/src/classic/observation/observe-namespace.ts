import { type IndexedCatalog, sliceCatalogs } from '#core/classic/resolution/problem/catalog-slice';
import { desiredNamespaceOf } from '#core/classic/resolution/problem/desired-namespace';
import { problemHash } from '#core/classic/resolution/problem/problem-hash';
import type { ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { needsResolution } from '#core/classic/subscription/bookkeep-subscription';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import type { Subscription } from '#core/kernel/api/subscription';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { NamespaceProblems } from '#platform/store/problem-store.port';
import type { CatalogRefresh } from '../../catalogs/sources/catalog-refresh.js';
import type { ObservedProblem } from '../../engine/publishing/publish-problem.js';

export type NamespaceSnapshot = Readonly<{
  namespace: string;
  globalCatalogNamespace: string;
  subscriptions: readonly Subscription[];
  operatorGroups: readonly OperatorGroup[];
  csvs: readonly ClusterServiceVersion[];
  /** Every CatalogSource that the namespace sees: its own and the global ones. */
  catalogs: readonly SeenCatalog[];
}>;

/** A CatalogSource with the known facts of its content. */
export type SeenCatalog = Pick<CatalogRefresh, 'source' | 'failure' | 'loaded' | 'settled'>;

/**
 * Returns the namespace's resolution problem. Undefined if its solution would have no effect: there is no
 * Subscription to satisfy, every plan is under way, the OperatorGroup is missing or not alone, or a visible
 * catalog has not answered yet. `path`: the Subscription for a request of all hops.
 */
export function observeNamespace(
  snapshot: NamespaceSnapshot,
  path?: string,
): ObservedProblem<NamespaceProblems> | undefined {
  return needsResolution(snapshot.subscriptions) ? problemOf(snapshot, path) : undefined;
}

/** Like {@link observeNamespace}, but also returns the problem if every plan is under way. */
export function problemOf(snapshot: NamespaceSnapshot, path?: string): ObservedProblem<NamespaceProblems> | undefined {
  if (snapshot.subscriptions.length === 0 || snapshot.operatorGroups.length !== 1) return undefined;
  if (snapshot.catalogs.some(({ settled }) => !settled)) return undefined;
  const desired = desiredNamespaceOf(snapshot);
  const { slices, records } = sliceCatalogs(desired, snapshot.catalogs.map(indexedCatalog).toSorted(byKey));
  const asked = path === undefined ? {} : { path };
  const problem: ResolutionProblem = { v: 1, wishes: desired, catalogs: slices, ...asked };
  return { hash: problemHash(problem), problem, records };
}

/** A CatalogSource as a problem has it. */
export function indexedCatalog(refresh: SeenCatalog): IndexedCatalog {
  const { metadata, spec } = refresh.source;
  return {
    key: { namespace: metadata.namespace ?? '', name: metadata.name ?? '' },
    priority: spec.priority ?? 0,
    ...(refresh.failure === undefined ? {} : { failure: refresh.failure }),
    ...(refresh.loaded === undefined ? {} : { index: refresh.loaded.index }),
  };
}

const byKey = (a: IndexedCatalog, b: IndexedCatalog): number =>
  byCodeUnit(a.key.namespace, b.key.namespace) || byCodeUnit(a.key.name, b.key.name);
