import type { ChangeKind } from '../../kernel/api/fleet/fleet-strategy.js';

/** Whether a bundle is newer than another one, by their names; false where one has no version in it. */
export const isNewer = (bundle: string, than: string): boolean => versionChange(bundle, than) === 'Downgrade';

/** The version in the name of a bundle, as `2.4.0` of `kafka-operator.v2.4.0`. */
export const versionInName = (bundle: string): string | undefined => versionOf(bundle)?.join('.');

/** The version at the end of a bundle's name, such as that of `kafka-operator.v2.4.0`. */
const versionOf = (bundle: string): readonly number[] | undefined => {
  const found = /\.v?(\d+)\.(\d+)\.(\d+)/.exec(bundle);
  return found === null ? undefined : found.slice(1).map(Number);
};

/** What moving from one bundle to another is, by their names; without versions in both it counts as Major. */
export function versionChange(from: string | null, to: string): ChangeKind {
  if (from === null) return 'Install';
  const [before, after] = [versionOf(from), versionOf(to)];
  if (before === undefined || after === undefined) return 'Major';
  const at = before.findIndex((number, index) => number !== after[index]);
  if (at < 0) return 'Patch';
  if ((after[at] ?? 0) < (before[at] ?? 0)) return 'Downgrade';
  return (['Major', 'Minor', 'Patch'] as const)[at] ?? 'Patch';
}
