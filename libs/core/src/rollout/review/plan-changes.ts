import type { ChangeKind } from '../../kernel/api/fleet/fleet-strategy.js';
import type { SubscriptionMove } from './hop-hash.js';

/** True if a bundle is newer than another one, by their names. False if a name has no version. */
export const isNewer = (bundle: string, than: string): boolean => versionChange(bundle, than) === 'Downgrade';

/** The version in the name of a bundle, as `2.4.0` of `kafka-operator.v2.4.0`. */
export const versionInName = (bundle: string): string | undefined => versionOf(bundle)?.join('.');

/** The version at the end of a bundle's name, such as that of `kafka-operator.v2.4.0`. */
const versionOf = (bundle: string): readonly number[] | undefined => {
  const found = /\.v?(\d+)\.(\d+)\.(\d+)/.exec(bundle);
  return found === null ? undefined : found.slice(1).map(Number);
};

/**
 * Returns the kind of change from one bundle to another, by their names. Without versions in both it counts
 * as Major.
 */
export function versionChange(from: string | null, to: string): ChangeKind {
  if (from === null) return 'Install';
  const [before, after] = [versionOf(from), versionOf(to)];
  if (before === undefined || after === undefined) return 'Major';
  const at = before.findIndex((number, index) => number !== after[index]);
  if (at < 0) return 'Patch';
  if ((after[at] ?? 0) < (before[at] ?? 0)) return 'Downgrade';
  return (['Major', 'Minor', 'Patch'] as const)[at] ?? 'Patch';
}

/** One InstallPlan of a path. `from`: undefined for an install; `bundles`: every CSV that the plan brings. */
type HopChange = Readonly<{
  from: string | undefined;
  to: string;
  moves: readonly SubscriptionMove[];
  bundles: readonly string[];
}>;

/**
 * Returns the changes of a path, by names and versions: the kind from the first to the last bundle, and any
 * Major or Downgrade in between. Other bundles that its plans bring or move count, too.
 */
export function pathChanges(hops: readonly [HopChange, ...HopChange[]]): ChangeKind[] {
  const end = hops.at(-1)?.to ?? hops[0].to;
  const found = new Set<ChangeKind>([versionChange(hops[0].from ?? null, end)]);
  for (const { from, to, moves, bundles } of hops) {
    const onTheWay = versionChange(from ?? null, to);
    if (onTheWay === 'Major' || onTheWay === 'Downgrade') found.add(onTheWay);
    const others = bundles.filter((name) => name !== to);
    const moved = new Set(moves.map((move) => move.to));
    if (others.some((name) => moved.has(name))) found.add('NeighbourMove');
    if (others.some((name) => !moved.has(name))) found.add('NewDependency');
  }
  return [...found];
}
