import type { Bundle } from '#core/catalog/bundle/bundle';
import type { Catalog } from '#core/catalog/model/catalog';

/** What a reference on the command line leads to. */
export type LoadedReference =
  | Readonly<{ kind: 'catalog'; catalog: Catalog }>
  /** `image` is empty for a directory: it is not known yet where it will be pushed. */
  | Readonly<{ kind: 'bundle'; bundle: Bundle; image: string }>;

/** The same where a catalog's blobs have been given away while it was read. */
export type ReadReference = Readonly<{ kind: 'catalog' }> | Extract<LoadedReference, { kind: 'bundle' }>;
