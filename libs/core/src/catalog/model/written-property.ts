import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { escapedGoJson } from '../../kernel/json/go-json-text.js';
import type { Property } from './catalog.js';

/**
 * Records are stored with sorted keys; what a CSV is annotated with has those of the catalog, in its order.
 */
export function asWritten(property: Property): Property {
  const inOrder = JSON.stringify(property.value) === canonicalJson(property.value);
  return inOrder ? property : { ...property, written: escapedGoJson(property.value) };
}
