import { ELLIPSIS, type TextRecord } from './text-node.js';

/** Counts of neighbours: either all are equal, or none is. */
export type DiffStats = Readonly<{ identical: number; removed: number; inserted: number; modified: number }>;

export const NO_STATS: DiffStats = { identical: 0, removed: 0, inserted: 0, modified: 0 };

export const differing = ({ removed, inserted, modified }: DiffStats): number => removed + inserted + modified;

export const together = (a: DiffStats, b: DiffStats): DiffStats => ({
  identical: a.identical + b.identical,
  removed: a.removed + b.removed,
  inserted: a.inserted + b.inserted,
  modified: a.modified + b.modified,
});

/** Returns the record for elements left out: `... // 3 identical and 1 removed fields`. */
export const leftOut = (stats: DiffStats, name: string): TextRecord => ({
  sign: '',
  key: '',
  value: ELLIPSIS,
  noComma: true,
  comment: statsText(stats, name),
});

function statsText(stats: DiffStats, name: string): string {
  const counts = (['identical', 'removed', 'inserted', 'modified'] as const).filter((label) => stats[label] > 0);
  const all = counts.reduce((sum, label) => sum + stats[label], 0);
  const labels = counts.map((label) => `${stats[label]} ${label}`);
  return `${enumerated(labels)} ${all > 1 ? plural(name) : name}`;
}

const enumerated = (labels: readonly string[]): string =>
  labels.length < 3 ? labels.join(' and ') : `${labels.slice(0, -1).join(', ')}, and ${labels.at(-1)}`;

const plural = (name: string): string => (name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`);
