import { isObject, type JsonObject } from '../../objects/json.js';
import type { SchemaNode } from '../schema-node.js';

const RESERVED = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if'],
  ...['import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

/** Returns the name under which a rule reads a property: CEL's words and signs are escaped. */
export function escapedName(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  const underscored = name.replaceAll('__', '__underscores__');
  return underscored.replaceAll('.', '__dot__').replaceAll('-', '__dash__').replaceAll('/', '__slash__');
}

/**
 * Returns a JSON value as a rule sees it: integers and times in CEL's types. Values that need no change are
 * not copied.
 */
export function celValue(value: unknown, node: SchemaNode | undefined): unknown {
  if (typeof value === 'number') return node?.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === 'string') return celText(value, node?.format);
  // Nothing below is declared: a rule can compare the whole and nothing else.
  if (node === undefined) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => celValue(item, node.items));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  return isObject(value) ? celObject(value, node) : value;
}

function celText(value: string, format: string | undefined): unknown {
  if (format === 'date-time' || format === 'date') {
    const date = new Date(value);
    return Number.isNaN(date.getTime()) ? value : date;
  }
  return format === 'byte' ? Buffer.from(value, 'base64') : value;
}

function celObject(value: JsonObject, node: SchemaNode): JsonObject {
  let changed = false;
  const entries = Object.entries(value).map(([name, inner]) => {
    const declared = node.property(name);
    const own = declared ?? (node.additional === true ? undefined : node.additional);
    const shown = own === undefined ? inner : celValue(inner, own);
    const key = declared === undefined ? name : escapedName(name);
    changed ||= shown !== inner || key !== name;
    return [key, shown] as const;
  });
  return changed ? Object.fromEntries(entries) : value;
}
