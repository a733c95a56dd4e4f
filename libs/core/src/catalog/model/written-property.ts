import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { escapedGoJson } from '../../kernel/json/go-json-text.js';
import type { Property } from './catalog.js';

/**
 * Keeps the text of a property as the catalog wrote it. Records are stored with sorted keys, but the
 * annotation of a CSV has the catalog's keys, in its order.
 */
export function asWritten(property: Property): Property {
  const inOrder = JSON.stringify(property.value) === canonicalJson(property.value);
  return inOrder ? property : { ...property, written: escapedGoJson(property.value) };
}
