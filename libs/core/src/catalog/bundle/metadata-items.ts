import { isRecord } from '../../kernel/json/json-access.js';
import { typeProblem } from '../../kernel/verdict/read-foreign.js';
import type { Property } from '../model/catalog.js';

/** Types of items with values that opm decodes, and the fields of these values. */
const DECODED: Readonly<Record<string, readonly string[]>> = {
  'olm.gvk': ['group', 'version', 'kind'],
  'olm.package': ['packageName', 'version'],
};

/** The items of a list in a bundle's metadata, and opm's refusals of them, one text each. */
type MetadataItems = Readonly<{ items: readonly Property[]; refusals: readonly string[] }>;

/**
 * Reads `dependencies` or `properties` of a metadata file as Go's decoder does: an item of the wrong form
 * makes it pass over the whole file. Undefined if the file has no such list.
 */
export function metadataItems(
  list: 'dependencies' | 'properties',
  value: unknown,
): MetadataItems | Readonly<{ problem: string }> | undefined {
  const written = isRecord(value) ? value[list] : undefined;
  if (written === undefined || written === null) return undefined;
  if (!Array.isArray(written)) return { problem: `${list} ${typeProblem(written, 'a list')}` };
  const items: Property[] = [];
  const refusals: string[] = [];
  for (const [index, item] of written.entries()) {
    const where = `${list}[${index}]`;
    if (item !== null && !isRecord(item)) return { problem: `${where} ${typeProblem(item, 'a map')}` };
    const type = item?.['type'] ?? '';
    if (typeof type !== 'string') return { problem: `${where}.type ${typeProblem(type)}` };
    const read = { type, value: item?.['value'] };
    items.push(read);
    const refusal = valueProblem(read, item ?? {});
    if (refusal !== undefined) refusals.push(`${where} (${type}): ${refusal}`);
  }
  return { items, refusals };
}

/** Returns the error of opm's decoder for the value of an item; undefined if opm takes or ignores it. */
function valueProblem({ type, value }: Property, item: Readonly<Record<string, unknown>>): string | undefined {
  const fields = Object.hasOwn(DECODED, type) ? DECODED[type] : undefined;
  if (fields === undefined || value === null) return undefined;
  if (value === undefined) {
    const beside = fields.filter((field) => Object.hasOwn(item, field));
    if (beside.length === 0) return 'value is missing';
    return `${beside.join(' and ')} ${beside.length === 1 ? 'is' : 'are'} next to type: move to "value:"`;
  }
  if (!isRecord(value)) return `value ${typeProblem(value, 'a map')}`;
  const wrong = fields.find((field) => typeof (value[field] ?? '') !== 'string');
  return wrong === undefined ? undefined : `value.${wrong} ${typeProblem(value[wrong])}`;
}
