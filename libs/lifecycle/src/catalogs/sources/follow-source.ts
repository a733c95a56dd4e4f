import { originOf } from '#core/classic/catalog-source/catalog-source-spec';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { SourceAccess } from './cluster-access.js';
import type { SharedCatalogs } from './shared-catalogs.js';

/**
 * Calls back when the origin of a source has news: a registry server that came back, a ConfigMap that changed
 * (then with its resourceVersion). Images have none; they are polled. The returned function ends it. Throws
 * RegistryError for an invalid address.
 */
export function followSource(
  source: CatalogSource,
  { catalogs, access }: Readonly<{ catalogs: SharedCatalogs; access: SourceAccess }>,
  onNews: (resourceVersion?: string) => void,
): () => void {
  const origin = originOf(source);
  if (origin.kind === 'grpc') return catalogs.follow(origin.address, () => onNews());
  if (origin.kind !== 'configMap') return () => undefined;
  return access.watchConfigMap(source.metadata.namespace ?? '', origin.name, onNews);
}
