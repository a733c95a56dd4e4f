import { FlotillaError } from '../../kernel/errors/flotilla.error.js';

/** A directory or image that is no usable registry+v1 bundle. `olmText` is opm's text for the same input. */
export class BundleError extends FlotillaError {
  readonly code = 'BundleError';
  readonly retry = 'when-input-changes';
  constructor(
    readonly olmText: string,
    /** Advice to the author of the bundle. */
    readonly advice: string,
    /** The text for users; by default place and reason. */
    line = `${olmText}: ${advice}`,
  ) {
    super(line);
  }
}
