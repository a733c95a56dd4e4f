import { byCodeUnit, canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { HIDDEN, isSecretField, withoutSecrets } from '../console-questions/without-secrets.js';

/** Most lines of one object, and most characters of a value. */
const MOST_LINES = 200;
const LONGEST_VALUE = 200;
const DEEPEST = 30;

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What applying `wanted` would change in `live`, field by field as `- path: value` and `+ path: value`,
 * sorted by path. Fields that `wanted` does not name stay as they are, such as those that the API server
 * fills in. Of a secret it is shown that it changes.
 */
export function changedFields(wanted: unknown, live: unknown): readonly string[] {
  const lines = differ(wanted, live, '', 0);
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), `  ${lines.length - MOST_LINES} more lines`];
}

function differ(wanted: unknown, live: unknown, path: string, depth: number): string[] {
  if (depth < DEEPEST && isObject(wanted) && isObject(live)) {
    return Object.keys(wanted)
      .filter((key) => wanted[key] !== undefined)
      .toSorted(byCodeUnit)
      .flatMap((key) => {
        const lines = differ(wanted[key], live[key], path === '' ? key : `${path}.${key}`, depth + 1);
        const isSecret = isSecretField(wanted, key) || isSecretField(live, key);
        return isSecret && typeof wanted[key] === 'string' ? lines.map(withoutValue) : lines;
      });
  }
  if (depth < DEEPEST && Array.isArray(wanted) && Array.isArray(live) && wanted.length === live.length) {
    return wanted.flatMap((item, index) => differ(item, live[index], `${path}[${index}]`, depth + 1));
  }
  if (isEmpty(wanted) && isEmpty(live)) return [];
  if (canonicalJson(wanted ?? null) === canonicalJson(live ?? null)) return [];
  return [...(live === undefined ? [] : [`- ${path}: ${valueText(live)}`]), `+ ${path}: ${valueText(wanted)}`];
}

/** The API server drops what is empty. */
const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/** A line is a sign, a path and a value. */
const withoutValue = (line: string): string => `${line.slice(0, line.indexOf(': '))}: ${HIDDEN}`;

function valueText(value: unknown): string {
  const shown = withoutSecrets(value);
  const text = typeof shown === 'string' ? shown : canonicalJson(shown);
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= LONGEST_VALUE ? line : `${line.slice(0, LONGEST_VALUE)}…`;
}
