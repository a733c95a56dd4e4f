import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { goJson } from '../../kernel/hashes/go-json.js';
import type { Property } from './catalog.js';

/**
 * Records are stored with sorted keys; what a CSV is annotated with has those of the catalog, in its order.
 */
export function asWritten(property: Property): Property {
  const inOrder = JSON.stringify(property.value) === canonicalJson(property.value);
  return inOrder ? property : { ...property, written: goJson(property.value) };
}
