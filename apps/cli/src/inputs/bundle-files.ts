import type { BundleFile } from '#core/catalog/model/bundle-file';
import { readTree } from '#platform/files/read-tree';
import { orAbsentPath, referencePlace } from './reference-place.js';
import { asUsageError } from './unreadable-input.js';

/**
 * The files of a bundle directory, or of a bundle image in an OCI layout or a registry. @throws UsageError
 */
export async function bundleFiles(reference: string): Promise<readonly BundleFile[]> {
  const place = await asUsageError(reference, () => referencePlace(reference));
  if (place === 'directory' || place === 'file') return asUsageError(reference, () => readTree(reference));
  const { pullBundleFiles } = await import('./load-from-registry.js');
  return orAbsentPath(reference, () => pullBundleFiles(reference));
}
