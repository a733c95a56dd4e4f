import type { Bundle } from '#core/bundle/bundle';
import type { Catalog } from '#core/catalog/catalog';

/** What a reference on the command line leads to. */
export type LoadedReference =
  | Readonly<{ kind: 'catalog'; catalog: Catalog }>
  /** `image` is empty for a directory: nobody knows yet where it will be pushed. */
  | Readonly<{ kind: 'bundle'; bundle: Bundle; image: string }>;
