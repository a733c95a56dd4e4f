/** No more edits than this make one name of another: beyond it a suggestion is a guess. */
const MOST_EDITS = 3;
/** Part of the longer name that must stay as it is. */
const SIMILARITY = 0.6;
/** A suggestion of more names than this helps no reader. */
const MOST_NAMES = 3;
/** A beginning of fewer characters fits too many names. */
const SHORTEST_BEGINNING = 2;
/** Names of Kubernetes are at most 253 characters long; longer ones are not compared. */
const LONGEST = 253;

/**
 * Returns the end of a message about an unknown name: ` (did you mean "subscription"?)` with the nearest
 * known names, and '' if none is near. A name is near if a few insertions, deletions, replacements and swaps
 * of neighbouring characters lead to it. If none is near, known names that begin with the typed text count.
 */
export function didYouMean(typed: string, known: Iterable<string>): string {
  const names = nearestNames(typed, known);
  return names.length === 0 ? '' : ` (did you mean ${names.map((name) => `"${name}"`).join(' or ')}?)`;
}

/** Returns the known names nearest to a typed word; none if none is near. */
export function nearestNames(typed: string, known: Iterable<string>): readonly string[] {
  const wanted = typed.toLowerCase();
  if (wanted === '' || wanted.length > LONGEST) return [];
  const names = [...new Set(known)].filter((name) => name.length <= LONGEST).sort();
  let best = MOST_EDITS;
  let found: string[] = [];
  for (const name of names) {
    const edits = editsBetween(wanted, name.toLowerCase());
    const length = Math.max(wanted.length, name.length);
    if (edits > best || (length - edits) / length < SIMILARITY) continue;
    if (edits < best) found = [];
    best = edits;
    found.push(name);
  }
  if (found.length === 0 && wanted.length >= SHORTEST_BEGINNING)
    found = names.filter((name) => name.toLowerCase().startsWith(wanted));
  return found.slice(0, MOST_NAMES);
}

/**
 * Returns the optimal string alignment distance, or more than {@link MOST_EDITS} if the lengths alone show
 * that.
 */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MOST_EDITS) return MOST_EDITS + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(beforeLast, j - 2) + 1 : replaced;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;
