/** Phases whose number and order depend on how fast deployments and other objects come (the README's list). */
const RACY = new Set(['Installing/InstallWaiting', 'Pending/RequirementsNotMet']);

/**
 * A CSV's history without what the recordings' README says may differ: waiting, requirements that are still being
 * created, and ways from Succeeded through ComponentUnhealthy back to Succeeded. What it ends in always stays.
 */
export function withoutRaces(history: readonly string[]): readonly string[] {
  const left = history.filter((state, index) => !RACY.has(state) || index === history.length - 1);
  const settled: string[] = [];
  for (const state of left) {
    const before = settled.indexOf(state);
    const between = settled.slice(before + 1);
    if (before >= 0 && state.startsWith('Succeeded/') && between.some((one) => one.endsWith('/ComponentUnhealthy'))) {
      settled.splice(before + 1);
    } else if (settled.at(-1) !== state) settled.push(state);
  }
  return settled;
}
