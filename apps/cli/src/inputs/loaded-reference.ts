import type { Bundle } from '#core/catalog/bundle/bundle';
import type { Catalog } from '#core/catalog/model/catalog';

/** The content of a reference on the command line. */
export type LoadedReference =
  | Readonly<{ kind: 'catalog'; catalog: Catalog }>
  /** The image of a bundle is empty for a directory: the place of its later push is not known yet. */
  | Readonly<{ kind: 'bundle'; bundle: Bundle; image: string }>;

/** The same, if a catalog's blobs have been given away while it was read. */
export type ReadReference = Readonly<{ kind: 'catalog' }> | Extract<LoadedReference, { kind: 'bundle' }>;
