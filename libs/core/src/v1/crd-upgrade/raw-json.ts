import { escapedGoJson } from '../../kernel/json/go-json-text.js';
import { withSortedKeys } from '../../kernel/json/sorted-keys.js';

/**
 * Writes JSON within a CRD as it comes from the API server and in bundles: from Go's encoder, with its
 * escapes for HTML.
 */
export const rawJson = (value: unknown): string => escapedGoJson(withSortedKeys(value));
