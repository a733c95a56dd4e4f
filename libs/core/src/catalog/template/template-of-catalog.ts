import { recordWithSortedKeys } from '../../kernel/json/sorted-keys.js';
import type { CatalogBlob } from '../model/catalog-blob.js';
import { decodeCatalogBlob } from '../read/decode-blob.js';

/** Types of templates that a catalog can be turned into. */
export const CONVERTIBLE_TYPES = ['basic', 'substitutes'] as const;
export type ConvertibleType = (typeof CONVERTIBLE_TYPES)[number];

/**
 * Returns the template that renders to these blobs, as a value to be written. In a basic one each bundle is
 * only its image. A substitutes one keeps everything and has no substitutions yet (spec:
 * file-based-catalogs.md §6). Throws `CatalogLoadError`.
 */
export function templateOfCatalog(
  type: ConvertibleType,
  blobs: Iterable<CatalogBlob>,
): Readonly<Record<string, unknown>> {
  const entries = Array.from(blobs, (blob) => entryOf(type, blob));
  return type === 'basic'
    ? { schema: 'olm.template.basic', entries }
    : { schema: 'olm.template.substitutes', entries, substitutions: [] };
}

function entryOf(type: ConvertibleType, blob: CatalogBlob): Readonly<Record<string, unknown>> {
  const decoded = decodeCatalogBlob(blob);
  if (type === 'basic' && decoded.kind === 'bundle') return { schema: 'olm.bundle', image: decoded.blob.image };
  return recordWithSortedKeys(blob.value);
}
