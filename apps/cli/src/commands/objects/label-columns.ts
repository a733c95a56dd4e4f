import type { Columns } from '../../output/table.js';
import { UsageError } from '../../terminal/io.js';
import type { Found } from './found-object.js';
import { isLabelKey } from './label-selector.js';

/** Columns of labels at the end of a table: one for each label that is named, and one with all. */
export type LabelColumns = Readonly<{ named: readonly string[]; all: boolean }>;

/** Keys of labels as `-L` has them. @throws UsageError for a text that is no key of a label */
export function labelKeys(values: readonly string[]): readonly string[] {
  const keys = values.flatMap((value) => value.split(',')).map((key) => key.trim());
  const wrong = keys.find((key) => !isLabelKey(key));
  if (wrong === undefined) return keys;
  throw new UsageError(`invalid --label-columns "${wrong}": name keys of labels, such as team or example.com/team`);
}

/**
 * Returns columns as in kubectl: the heading is the last part of the key, and a missing label is an empty
 * cell.
 */
export const labelColumns = ({ named, all }: LabelColumns): Columns<Found> => [
  ...named.map(
    (key) => [(key.split('/').at(-1) ?? key).toUpperCase(), (row: Found) => labelsOf(row)[key] ?? '', 'whole'] as const,
  ),
  ...(all ? [['LABELS', allLabels, 'whole'] as const] : []),
];

function allLabels(row: Found): string {
  const labels = Object.entries(labelsOf(row)).map(([key, value]) => `${key}=${value}`);
  return labels.length === 0 ? '<none>' : labels.toSorted().join(',');
}

const labelsOf = ({ object }: Found): Readonly<Record<string, string>> =>
  Object.assign(Object.create(null), object.metadata.labels);
