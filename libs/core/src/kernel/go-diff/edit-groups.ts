import { type DiffStats, differing, NO_STATS, together } from './diff-stats.js';
import { type Edit, editScript } from './edit-script.js';

/**
 * Returns the steps between two lists of texts, with neighbours counted together. Equal stretches up to
 * `window` within a change belong to it.
 */
export const editGroups = (x: readonly string[], y: readonly string[], window: number): DiffStats[] =>
  tidied(coalesced(grouped(x, y), window), x, y);

/** Elements of each list that a group is about. */
export const groupSizes = ({ identical, removed, inserted, modified }: DiffStats): [number, number] => [
  identical + removed + modified,
  identical + inserted + modified,
];

/** Returns the steps from one list of texts to another. */
export const editsOf = (x: readonly string[], y: readonly string[]): readonly Edit[] =>
  editScript(x.length, y.length, (i, j) => (x[i] === y[j] ? { same: 1, different: 0 } : { same: 0, different: 2 }));

function grouped(x: readonly string[], y: readonly string[]): DiffStats[] {
  const groups: DiffStats[] = [];
  let wasSame: boolean | undefined;
  for (const edit of editsOf(x, y)) {
    const isSame = edit === 'same';
    if (isSame !== wasSame) groups.push(NO_STATS);
    wasSame = isSame;
    groups.push(together(groups.pop() ?? NO_STATS, { ...NO_STATS, [isSame ? 'identical' : edit]: 1 }));
  }
  return groups;
}

/** Joins short equal stretches between changes with these changes. */
function coalesced(groups: readonly DiffStats[], window: number): DiffStats[] {
  const kept: DiffStats[] = [];
  for (const stats of groups) {
    const [before, equal] = [kept.at(-2), kept.at(-1)];
    const isReplaced =
      before !== undefined &&
      differing(stats) > 0 &&
      before.removed + stats.removed > 0 &&
      before.inserted + stats.inserted > 0;
    if (isReplaced && equal !== undefined && equal.identical <= window) {
      kept.splice(-2, 2, together(together(before, equal), stats));
    } else kept.push(stats);
  }
  return kept;
}

/** Moves the equal texts at either end of a change to the groups around it. */
function tidied(groups: readonly DiffStats[], x: readonly string[], y: readonly string[]): DiffStats[] {
  // An empty group at either end takes the equal texts of the first and the last change.
  const tidy = [NO_STATS, ...groups, NO_STATS];
  let [ix, iy] = [0, 0];
  for (let index = 1; index <= groups.length; index += 1) {
    const stats = tidy[index] ?? NO_STATS;
    const [nx, ny] = groupSizes(stats);
    if (differing(stats) > 0) {
      const { leading, trailing } = equalEnds(x.slice(ix, ix + nx), y.slice(iy, iy + ny));
      const equal = leading + trailing;
      if (equal > 0) tidy[index] = { ...NO_STATS, removed: nx - equal, inserted: ny - equal };
      lend(tidy, index - 1, leading);
      lend(tidy, index + 1, trailing);
      // The next group now begins with the trailing equal texts.
      [ix, iy] = [ix - trailing, iy - trailing];
    }
    [ix, iy] = [ix + nx, iy + ny];
  }
  return tidy.filter((stats) => stats !== NO_STATS);
}

function equalEnds(x: readonly string[], y: readonly string[]) {
  const shorter = Math.min(x.length, y.length);
  let [leading, trailing] = [0, 0];
  while (leading < shorter && x[leading] === y[leading]) leading += 1;
  while (trailing < shorter && x.at(-1 - trailing) === y.at(-1 - trailing)) trailing += 1;
  return { leading, trailing };
}

function lend(groups: DiffStats[], index: number, count: number): void {
  if (count > 0) groups[index] = together(groups[index] ?? NO_STATS, { ...NO_STATS, identical: count });
}
