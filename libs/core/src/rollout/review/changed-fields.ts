import { byCodeUnit, canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { withoutSecrets } from '../../kernel/secrets/without-secrets.js';

/** Most lines of one object, and most characters of a value. */
const MOST_LINES = 200;
const LONGEST_VALUE = 200;
const DEEPEST = 30;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the changes that applying `wanted` would make in `live`, field by field and sorted by path. A line
 * is `- path: value` or `+ path: value`. Fields that `wanted` does not name stay as they are, such as those
 * that the API server fills in. For a secret, only the fact of the change is shown.
 */
export function changedFields(wanted: unknown, live: unknown): readonly string[] {
  const lines = differ({ of: wanted, shown: withoutSecrets(wanted) }, { of: live, shown: withoutSecrets(live) }, '', 0);
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), `  ${lines.length - MOST_LINES} more lines`];
}

/** A value, and its shown form. Both have the same fields and items. */
type Value = Readonly<{ of: unknown; shown: unknown }>;

const within = ({ of, shown }: Value, key: string | number): Value => ({
  of: (of as Fields)[key],
  shown: isRecord(shown) || Array.isArray(shown) ? (shown as Fields)[key] : shown,
});

function differ(wanted: Value, live: Value, path: string, depth: number): string[] {
  const [own, other] = [wanted.of, live.of];
  if (depth < DEEPEST && isRecord(own) && isRecord(other)) {
    return Object.keys(own)
      .filter((key) => own[key] !== undefined)
      .toSorted(byCodeUnit)
      .flatMap((key) =>
        differ(within(wanted, key), within(live, key), path === '' ? key : `${path}.${key}`, depth + 1),
      );
  }
  if (depth < DEEPEST && Array.isArray(own) && Array.isArray(other) && own.length === other.length) {
    return own.flatMap((_, index) =>
      differ(within(wanted, index), within(live, index), `${path}[${index}]`, depth + 1),
    );
  }
  if (isEmpty(own) && isEmpty(other)) return [];
  if (canonicalJson(own ?? null) === canonicalJson(other ?? null)) return [];
  const gone = other === undefined ? [] : [`- ${path}: ${valueText(live.shown)}`];
  return [...gone, `+ ${path}: ${valueText(wanted.shown)}`];
}

/** True if the API server drops the value because it is empty. */
const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0);

function valueText(shown: unknown): string {
  const text = typeof shown === 'string' ? shown : canonicalJson(shown ?? null);
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= LONGEST_VALUE ? line : `${line.slice(0, LONGEST_VALUE)}…`;
}
