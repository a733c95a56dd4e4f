import { foldCase } from '../../kernel/json/go-json.js';

/** The text in a blob's field, whose name may be written in any case; empty where there is none. */
export function textField(blob: Readonly<Record<string, unknown>>, name: string): string {
  const key = Object.keys(blob).find((one) => foldCase(one) === name);
  const value = key === undefined ? undefined : blob[key];
  return typeof value === 'string' ? value : '';
}
