import { UsageError } from '../terminal/io.js';
import { stepsOf, valuesAt } from './json-path-steps.js';
import type { Columns } from './table.js';

/** More columns fit no screen, and no reader. */
const MOST_COLUMNS = 64;

/**
 * Returns the columns of `-o custom-columns=NAME:.metadata.name,…`, as in kubectl.
 * @throws UsageError for another form
 */
export function customColumns(spec: string): Columns<unknown> {
  const parts = spec.split(/,(?![^[]*\])/);
  if (spec.trim() === '' || parts.length > MOST_COLUMNS) throw unreadable(spec, `name 1 to ${MOST_COLUMNS} columns`);
  return parts.map((part) => {
    const [, heading = '', path = ''] = /^\s*([^:]+):(.+)$/s.exec(part) ?? [];
    if (path === '') throw unreadable(spec, `"${part.trim()}" is not of the form HEADING:PATH`);
    const steps = stepsOf(path.trim().replace(/^\{(.*)\}$/s, '$1'), path.trim());
    return [heading, (object: unknown) => cellOf(valuesAt(object, steps))] as const;
  });
}

const cellOf = (values: readonly unknown[]): string => {
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return texts.length === 0 ? '<none>' : texts.join(',').replaceAll(/\s+/g, ' ');
};

const unreadable = (spec: string, because: string): UsageError =>
  new UsageError(
    `cannot read the columns ${JSON.stringify(spec)}: ${because}; write them as NAME:.metadata.name,PHASE:.status.phase`,
  );
