import { durationMs } from '../../placement/waves.js';
import type { Draft } from './draft.js';
import type { RolloutRow } from './row.js';

/**
 * Returns the row of a cluster with a lost FleetAssignment, from what the cluster has kept (design: fleet.md
 * §4.4). What was Done is Done again without a write. What was Failed or RolledBack stays so. Returns the
 * same row if nothing was lost.
 */
export function rebuiltRow(row: RolloutRow, draft: Draft): RolloutRow {
  const { facts, spec, now } = draft;
  const mayBeLost = row.phase === 'Waiting' && row.attempt === 0 && !row.isRetry;
  const isReachable = facts.member(row.cluster)?.isReachable === true;
  const kept = mayBeLost && isReachable ? facts.keptAttempt(row.cluster) : undefined;
  if (kept === undefined || kept.attempt === 0) return row;
  const { attempt, hop, result, reason } = kept;
  const known = spec.waves.findIndex(({ name }) => name === kept.wave);
  const wave = known < 0 ? row.wave : known;
  const plan = facts.plan(row.cluster);
  const begun = { ...row, wave, keepsWave: true, attempt, hop, class: plan?.class ?? row.class };
  if (result !== undefined) return { ...begun, phase: result, reason, isFailure: result === 'Failed' };
  const { gates, progressDeadline } = draft.rules(wave);
  const deadlineAt = now + durationMs(progressDeadline);
  if (kept.isThere && kept.isHealthy) {
    const hasGates = gates.some(({ when, scope }) => when === 'After' && scope === 'Cluster');
    const mustVerify = hasGates && draft.wave(wave).phase !== 'Complete';
    if (mustVerify) return { ...begun, phase: 'Verifying', reason: 'Rebuilt', deadlineAt };
    return { ...begun, phase: 'Done', reason: 'Rebuilt', doneAt: now };
  }
  if (!kept.isRunning && !kept.isThere) return { ...begun, reason: 'Planning' };
  return { ...begun, phase: 'Applying', reason: 'Rebuilt', isRunning: true, deadlineAt };
}
