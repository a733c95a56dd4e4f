import { originOf } from '#core/classic/catalog-source/catalog-source-spec';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { ClusterAccess } from './cluster-access.js';
import type { SharedCatalogs } from './shared-catalogs.js';

/**
 * Calls back when what a source names has news of itself: a registry server that came back, a ConfigMap that changed (then
 * with its resourceVersion). Images have none; they are polled. The function returned ends it. Throws RegistryError for an
 * address that is none.
 */
export function followSource(
  source: CatalogSource,
  { catalogs, access }: Readonly<{ catalogs: SharedCatalogs; access: ClusterAccess }>,
  onNews: (resourceVersion?: string) => void,
): () => void {
  const origin = originOf(source);
  if (origin.kind === 'grpc') return catalogs.follow(origin.address, () => onNews());
  if (origin.kind !== 'configMap') return () => undefined;
  return access.watchConfigMap(source.metadata.namespace ?? '', origin.name, onNews);
}
