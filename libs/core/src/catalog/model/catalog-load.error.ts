import { FlotillaError } from '../../kernel/errors/flotilla.error.js';

/**
 * A catalog that cannot be read at all, as opposed to a readable one that breaks a rule (`validateCatalog`).
 * `olmText` is opm's text for the same input.
 */
export class CatalogLoadError extends FlotillaError {
  readonly code = 'CatalogLoadError';
  readonly retry = 'when-input-changes';
  constructor(
    /** Path of the file below the catalog's root. */
    readonly path: string,
    readonly olmText: string,
    /** First line of the blob concerned, counted from 1; absent when the whole file is meant. */
    readonly line?: number,
  ) {
    super(`${path}${line === undefined ? '' : `:${line}`}: ${olmText}`);
  }
}

/** The problem of one blob, in opm's words; {@link CatalogLoadError} adds the place. */
export class BlobError extends Error {
  constructor(
    readonly olmText: string,
    /** Line within the file, from 1. */
    readonly line?: number,
  ) {
    super(olmText);
  }
}

/** A blob with a wrong outer form. In a YAML stream, opm's text then says that it was decoding JSON. */
export class BlobFormError extends BlobError {}
