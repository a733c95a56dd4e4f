import { escapedGoJson } from '../../kernel/json/go-json-text.js';
import { withSortedKeys } from '../../kernel/json/sorted-keys.js';

/**
 * JSON within a CRD as the API server hands it out and bundles come to it: from Go's
 * encoder, which escapes for HTML.
 */
export const rawJson = (value: unknown): string => escapedGoJson(withSortedKeys(value));
