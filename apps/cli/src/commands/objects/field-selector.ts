import { UsageError } from '../../terminal/io.js';
import type { LiveKind } from './live-kinds.js';

/** Fields that an API server offers to select objects of every kind with namespaces. */
const FIELDS = ['metadata.name', 'metadata.namespace'] as const;
const TERM = /^\s*([^=!\s]+)\s*(==|=|!=)\s*([^=!\s]*)\s*$/;

/** A comparison of `--field-selector`; all of them hold for an object that is selected. */
type Term = Readonly<{ field: string; isEqual: boolean; value: string }>;
export type FieldSelector = readonly Term[];

/**
 * Reads `--field-selector`: `a=b`, `a==b` and `a!=b` with commas between.
 * @throws UsageError for another form, and for a field that no API server offers to select one of these kinds
 */
export function fieldSelector(text: string, kinds: readonly LiveKind[]): FieldSelector {
  const known = kinds.some(({ namespaced }) => namespaced) ? FIELDS : FIELDS.slice(0, 1);
  return text.split(',').map((term) => {
    const [, field = '', sign = '', value = ''] = TERM.exec(term) ?? [];
    if (sign === '') throw refused(text, `cannot read "${term.trim()}"; write metadata.name=a or metadata.name!=a`);
    if (known.some((one) => one === field)) return { field, isEqual: sign !== '!=', value };
    throw refused(
      text,
      `API servers cannot select by ${field}, only by ${known.join(' and ')}; for other fields use -o json and jq`,
    );
  });
}

const refused = (text: string, because: string): UsageError =>
  new UsageError(`invalid --field-selector "${text}": ${because}`);

/**
 * Returns the selector for requests about a kind, or undefined if no object of the kind can be selected.
 * Kinds without namespaces have an empty one, and no API server takes the term for them.
 */
export function fieldSelectorOf(selector: FieldSelector, { namespaced }: LiveKind): string | undefined {
  const isAsked = ({ field }: Term) => namespaced || field !== 'metadata.namespace';
  const isFalse = ({ isEqual, value }: Term) => isEqual !== (value === '');
  if (selector.some((term) => !isAsked(term) && isFalse(term))) return undefined;
  return selector
    .filter(isAsked)
    .map(({ field, isEqual, value }) => `${field}${isEqual ? '=' : '!='}${value}`)
    .join(',');
}
