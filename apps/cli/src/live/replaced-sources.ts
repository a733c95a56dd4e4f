import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { UsageError } from '../io.js';

/** The repository of an image reference: without tag and digest; undefined where it is a path. */
export function repositoryOf(reference: string): string | undefined {
  if (/^\.{0,2}\//.test(reference) || reference.startsWith('oci:')) return undefined;
  const [name = ''] = reference.split('@');
  const path = name.replace(/:[^/:]+$/, '');
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?\//i.test(path) && /[.:]/.test(path.split('/')[0] ?? '') ? path : undefined;
}

/**
 * Whether a CatalogSource is one whose place a new catalog takes: one that was named, else one with an image
 * of the same repository. @throws UsageError where none was named, and the new catalog is no image
 */
export function replacedBy(reference: string, named: readonly string[]): (source: CatalogSource) => boolean {
  if (named.length > 0) {
    return ({ metadata: { name = '', namespace = '' } }) =>
      named.some((one) => one === name || one === `${namespace}/${name}`);
  }
  const repository = repositoryOf(reference);
  if (repository === undefined) {
    throw new UsageError(`${reference} is no image: name the CatalogSource whose place it takes, with --replaces`);
  }
  return ({ spec }) => spec.image !== undefined && repositoryOf(spec.image) === repository;
}
