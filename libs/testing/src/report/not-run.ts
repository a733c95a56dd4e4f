/**
 * Returns one line about the tests of a run that did not run: their number, and the need of each kind.
 * Undefined: all ran.
 */
export function notRunLine(needs: readonly (string | undefined)[]): string | undefined {
  if (needs.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const need of needs) {
    const what = need ?? 'no reason given';
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const kinds = [...counts].toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  const parts = kinds.map(([what, count]) => `${count}: ${what}`);
  return `not run: ${needs.length} ${needs.length === 1 ? 'test' : 'tests'}, for what they need is not here (${parts.join('; ')}). A stand-in of each kind ran; see CONTRIBUTING.md, "Tests that need more"`;
}
