import { stringify } from 'yaml';
import { type DataFormat, jsonText } from './data-format.js';

/** A value as JSON with two blanks of indent, or as YAML; the same bytes for the same value. */
export const dataText = (value: unknown, format: DataFormat): string =>
  format === 'json' ? jsonText(value) : stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
