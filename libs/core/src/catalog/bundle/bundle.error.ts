import { FlotillaError } from '../../kernel/errors/flotilla.error.js';

/**
 * A directory or image that is no usable registry+v1 bundle. `olmText` is what opm says about the same input.
 */
export class BundleError extends FlotillaError {
  readonly code = 'BundleError';
  readonly retry = 'when-input-changes';
  constructor(
    readonly olmText: string,
    /** What the author of the bundle can do about it. */
    readonly advice: string,
    /** The text for users; by default place and reason. */
    line = `${olmText}: ${advice}`,
  ) {
    super(line);
  }
}
