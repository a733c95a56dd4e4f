import type { BundleFile } from '../model/bundle-file.js';

/**
 * A file of a catalog as a stream: a path relative to the catalog's root, and its bytes in pieces of any
 * size. A piece is used before the next is requested, so a reader may fill one buffer again and again.
 */
export type CatalogFile = Readonly<{ path: string; chunks: () => Iterable<Uint8Array> }>;

/** Returns a file that is already in memory. */
export const fileInMemory = ({ path, bytes }: BundleFile): CatalogFile => ({ path, chunks: () => [bytes] });
