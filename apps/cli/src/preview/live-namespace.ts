import type { IndexedCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { globalCatalogNamespaceOf } from '#platform/clusters/managed-clusters';
import type { Settings } from '#platform/config/settings';
import { inParallel } from '#platform/fairness/in-parallel';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { type NamespaceRead, readNamespace } from '../../../../libs/lifecycle/src/classic/namespaces/namespace-read.js';
import { PassReader } from '../../../../libs/lifecycle/src/engine/passes/pass-reader.js';
import { readsOfNamespace } from '../clusters/reads-of-namespace.js';
import type { Withheld } from '../clusters/withheld.js';
import type { LiveContents } from './live-contents.js';

/** A namespace as this login sees it. */
export type LiveNamespace = NamespaceRead &
  Readonly<{ hiddenCatalogs: readonly string[]; withheld: readonly Withheld[] }>;

/**
 * A namespace as the applier reads it, without OperatorGroups of other ones. Global catalogs are left out if
 * this login may not read them.
 */
export async function readLive(client: KubeClient, namespace: string, settings: Settings): Promise<LiveNamespace> {
  const global = await globalCatalogNamespaceOf(client, settings);
  const { reads, withheld } = readsOfNamespace(client, namespace, false);
  const read = await readNamespace(new PassReader(reads), namespace, global);
  return { ...read, withheld, hiddenCatalogs: withheld.flatMap(({ catalogsOf }) => catalogsOf ?? []) };
}

/** Returns a text about a catalog with unreadable content, with the cause. */
export const unreadText = ({ key, failure }: IndexedCatalog): string[] =>
  failure === undefined ? [] : [`${key.namespace}/${key.name}: ${failure}`];

const CATALOGS_AT_ONCE = 4;

/** The catalogs that the namespace sees, with their content. */
export const catalogsInSight = (
  client: KubeClient,
  { catalogSources }: NamespaceRead,
  contents: LiveContents,
): Promise<readonly IndexedCatalog[]> =>
  inParallel(catalogSources, CATALOGS_AT_ONCE, (source) => contents.catalogOf(client, source));
