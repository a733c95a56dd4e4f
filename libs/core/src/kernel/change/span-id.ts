import { canonicalHash } from '../canonical/canonical-json.js';

const DIGITS = 16;

/**
 * The id of a span in the trace of a change, by its name there: every service knows those of the others, and
 * so which one is the parent.
 */
export const spanIdOf = (change: string, span: string): string =>
  canonicalHash(['span', change, span]).slice(0, DIGITS);
