import { isActive, type WindowRules, windowHold } from '../../windows/window-rules.js';
import type { BreakGlass } from './rollout-state.js';
import type { RolloutRow } from './row.js';

/** Returns the windows that no break-glass decision lifts. */
export function withoutLifted(
  windows: readonly WindowRules[],
  breakGlass: readonly BreakGlass[],
  now: number,
): readonly WindowRules[] {
  const lifting = breakGlass.filter(({ until }) => until > now);
  if (windows.length === 0 || lifting.length === 0) return windows;
  return windows.filter((window) => !lifting.some(({ groups }) => mayLift(groups, window)));
}

const mayLift = (groups: readonly string[], { breakGlassGroups }: WindowRules): boolean =>
  groups.some((group) => breakGlassGroups.includes(group));

/**
 * True if a window that these groups may not lift holds a cluster of a rollout that must start, continue or
 * roll back. `holdingOf`: the windows of a cluster that nothing lifts.
 */
export function isWindowInTheWay(
  rows: Iterable<RolloutRow>,
  groups: readonly string[],
  holdingOf: (cluster: string) => readonly WindowRules[],
  instant: number,
): boolean {
  for (const { cluster, phase, goBack } of rows) {
    // A cluster that has reached its end needs no window any more.
    if (phase !== 'Waiting' && phase !== 'Applying' && goBack === undefined) continue;
    const others = holdingOf(cluster).filter((window) => !mayLift(groups, window));
    if (others.some((window) => window.type === 'Deny' && isActive(window, instant))) return true;
    const hasAllow = others.some(({ type }) => type === 'Allow');
    if (hasAllow && windowHold(others, instant, true) !== undefined) return true;
  }
  return false;
}
