import { foldCase } from '../../kernel/json/go-json.js';

/**
 * Returns the text in a blob's field. The name of the field may be written in any case. Empty if there is
 * none.
 */
export function textField(blob: Readonly<Record<string, unknown>>, name: string): string {
  const key = Object.keys(blob).find((one) => foldCase(one) === name);
  const value = key === undefined ? undefined : blob[key];
  return typeof value === 'string' ? value : '';
}
