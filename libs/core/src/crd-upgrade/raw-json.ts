import { withSortedKeys } from '../catalog/write/sorted-keys.js';
import { goJson } from '../hashes/go-json.js';

/** JSON within a CRD as the API server hands it out and bundles come to it: from Go's encoder, which escapes for HTML. */
export const rawJson = (value: unknown): string => goJson(withSortedKeys(value));
