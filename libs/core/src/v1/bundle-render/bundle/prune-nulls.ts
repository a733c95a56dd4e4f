import { isRecord } from '../../../kernel/json/json-access.js';

/** The values of these keys are data: null has a meaning there. */
const DATA: ReadonlySet<string> = new Set(['default', 'example', 'enum']);

/** The object without fields that are null: read into a type, as OLM v1 does, they are as good as absent. */
export function pruneNulls(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(record).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key, DATA.has(key) ? value : pruned(value)]));
}

function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned);
  return isRecord(value) ? pruneNulls(value) : value;
}
