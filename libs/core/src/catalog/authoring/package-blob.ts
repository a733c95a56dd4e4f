import { Buffer } from 'node:buffer';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { CatalogPackage } from '../model/catalog.js';
import { mediaTypeOf } from './image-type.js';

/** Description of a new package. */
export type PackageDescription = Readonly<{
  name: string;
  defaultChannel: string;
  description?: string;
  icon?: Uint8Array;
}>;

/**
 * Returns the olm.package blob of a new package, or the reason why it cannot be made, in the words of
 * `opm init` (spec: file-based-catalogs.md §7).
 */
export function packageBlob(parts: PackageDescription): CatalogPackage | Readonly<{ error: string }> {
  const { name, defaultChannel, description, icon } = parts;
  const mediatype = icon === undefined ? '' : mediaTypeOf(icon);
  if (icon !== undefined && !mediatype.startsWith('image/')) {
    return { error: `detected invalid type ${goQuote(mediatype)}: not an image` };
  }
  return {
    schema: 'olm.package',
    name,
    defaultChannel,
    ...(icon !== undefined && { icon: { base64data: Buffer.from(icon).toString('base64'), mediatype } }),
    ...(description !== undefined && { description }),
  };
}
