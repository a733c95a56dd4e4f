import type { Property } from '../model/catalog.js';
import type { Bundle } from './bundle.js';

/**
 * Advice to the author if an item of `properties` or `dependencies` has no type (why: command.md "Near-miss
 * forms get the right form").
 */
export const TYPED_ITEM_FORM = 'write each item as {type: <type>, value: <value>}, without "property:" around it';

/**
 * Returns the places of properties and dependencies without a type in a bundle's metadata, such as
 * `properties[0]`. opm keeps neither their type nor their value.
 */
export const untypedItems = ({ properties, dependencies }: Pick<Bundle, 'properties' | 'dependencies'>): string[] => [
  ...untypedIn('properties', properties),
  ...untypedIn('dependencies', dependencies),
];

const untypedIn = (list: string, items: readonly Property[]): string[] =>
  items.flatMap(({ type }, index) => (type === '' ? [`${list}[${index}]`] : []));
