import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { RefreshProblem } from '#core/v1/cluster-catalog/catalog-failure';
import type { Digest } from '#platform/content/content-store.port';
import type { Demand } from '#platform/fairness/demand';

/** The content of an image, for answers to clients. */
export type CatalogJsonl = Readonly<{
  /** The image by its digest, `name@digest`. */
  ref: string;
  /** Digest of the catalog.jsonl in the content store. */
  content: Digest;
}>;

/**
 * The content of the image that a reference names now. Well-formed blobs are enough: their installer checks
 * whether they fit together (spec: v1-catalog.md §1, store). Rejects with {@link NoCatalogContent}.
 */
export type LoadJsonl = (ref: string, demand: Demand) => Promise<CatalogJsonl>;

/** A reference without content. `problem` names the failed step. */
export class NoCatalogContent extends FlotillaError {
  readonly code = 'NoCatalogContent';
  readonly retry: Retry = 'backoff';
  constructor(
    readonly ref: string,
    readonly problem: RefreshProblem,
  ) {
    super(`catalog ${ref}: ${'why' in problem ? problem.why : problem.kind}`);
  }
}
