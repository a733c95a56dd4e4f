import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import { UsageError } from '../../../terminal/io.js';

/**
 * Returns the repository of an image reference: without tag and digest. Returns undefined if it is a path.
 */
export function repositoryOf(reference: string): string | undefined {
  if (/^\.{0,2}\//.test(reference) || reference.startsWith('oci:')) return undefined;
  const [name = ''] = reference.split('@');
  const path = name.replace(/:[^/:]+$/, '');
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?\//i.test(path) && /[.:]/.test(path.split('/')[0] ?? '') ? path : undefined;
}

/** The catalogs of a cluster that a new one replaces. */
type ReplacedCatalogs = Readonly<{
  replaces: (source: CatalogSource) => boolean;
  replacesClusterCatalog: (catalog: ClusterCatalog) => boolean;
}>;

/**
 * Returns the catalogs that a new one replaces: the named ones, otherwise those with an image of the same
 * repository.
 * @throws UsageError if none was named, and the new catalog is no image
 */
export function replacedBy(reference: string, named: readonly string[]): ReplacedCatalogs {
  if (named.length > 0) {
    return {
      replaces: ({ metadata: { name = '', namespace = '' } }) =>
        named.some((one) => one === name || one === `${namespace}/${name}`),
      replacesClusterCatalog: ({ metadata: { name = '' } }) => named.includes(name),
    };
  }
  const repository = repositoryOf(reference);
  if (repository === undefined) {
    throw new UsageError(
      `${reference} is not an image: name the CatalogSource or ClusterCatalog that it replaces with --replaces`,
    );
  }
  const isOf = (image: string | undefined): boolean => image !== undefined && repositoryOf(image) === repository;
  return {
    replaces: ({ spec }) => isOf(spec.image),
    replacesClusterCatalog: ({ spec }) => isOf(spec.source.image?.ref),
  };
}
