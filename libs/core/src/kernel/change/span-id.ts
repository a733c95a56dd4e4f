import { canonicalHash } from '../canonical/canonical-json.js';

const DIGITS = 16;

/**
 * Returns the id of a span in the trace of a change, derived from the span's name. So every service knows the
 * ids of the others' spans, and of the parent.
 */
export const spanIdOf = (change: string, span: string): string =>
  canonicalHash(['span', change, span]).slice(0, DIGITS);
