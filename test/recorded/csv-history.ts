/** `Phase/Reason: message`, as the histories of both sides are written. */
export const historyLine = (phase: unknown, reason: unknown, message: unknown): string =>
  phase === undefined ? '' : `${phase}/${reason}: ${message}`;

/**
 * Phases whose number, order and message depend on the speed of deployments and other objects (the README's
 * list).
 */
const RACY = ['Installing/InstallWaiting', 'Pending/RequirementsNotMet'];
const isRacy = (state: string): boolean => RACY.some((start) => state.startsWith(start));

/**
 * Returns a CSV's history without the differences that the recordings' README allows: waiting, requirements
 * that are still being created, and ways from Succeeded through ComponentUnhealthy back to Succeeded. The
 * last phase always stays.
 */
export function withoutRaces(history: readonly string[]): readonly string[] {
  const settled: string[] = [];
  for (const [index, state] of history.entries()) {
    if (isRacy(state) && index < history.length - 1) continue;
    const before = settled.indexOf(state);
    const between = settled.slice(before + 1);
    const wentRound = between.some((one) => one.includes('/ComponentUnhealthy: '));
    if (before >= 0 && state.startsWith('Succeeded/') && wentRound) settled.splice(before + 1);
    else if (settled.at(-1) !== state) settled.push(state);
  }
  return settled;
}
