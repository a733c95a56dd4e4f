import type { IndexedCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { globalCatalogNamespaceOf } from '#platform/clusters/managed-clusters';
import type { Settings } from '#platform/config/settings';
import { inParallel } from '#platform/fairness/in-parallel';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { type NamespaceRead, readNamespace } from '../../../../libs/lifecycle/src/classic/namespaces/namespace-read.js';
import { PassReader } from '../../../../libs/lifecycle/src/engine/passes/pass-reader.js';
import type { LiveContents } from './live-contents.js';

/** A namespace as the applier reads it. */
export const readLive = async (client: KubeClient, namespace: string, settings: Settings): Promise<NamespaceRead> =>
  readNamespace(new PassReader(client), namespace, await globalCatalogNamespaceOf(client, settings));

/** A catalog whose content could not be read, and why. */
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
