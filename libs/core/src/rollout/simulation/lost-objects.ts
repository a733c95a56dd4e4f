import type { RolloutRecord } from '../controller/record/rollout-record.js';
import type { RolloutRow } from '../controller/step/row.js';
import type { Controller } from './controller.js';

type Gates = RolloutRow['gates'];

/** Removes answers of gates that have decided nothing yet. */
const decided = (gates: Gates): Gates =>
  Object.fromEntries(Object.entries(gates).filter(([, { state }]) => state !== null));

const hasUndecided = (gates: Gates): boolean => Object.values(gates).some(({ state }) => state === null);

/**
 * Restores the rollout after statuses were deleted. One-time events are in the rollout and its rows, and
 * numbers are counted again. Answers of gates that have not decided yet are lost: their count and their time
 * restart.
 */
export function forgetStatus(record: RolloutRecord, now: number): void {
  const waves = record.status.waves.map((wave) =>
    hasUndecided(wave.gates) ? { ...wave, gates: decided(wave.gates), gatesFrom: now } : wave,
  );
  record.status = { ...record.status, waves };
  for (const row of [...record.rows.values()]) {
    if (!hasUndecided(row.gates)) continue;
    record.rows.set(row.cluster, { ...row, gates: decided(row.gates), gatesSince: undefined });
  }
  record.recount();
}

/** Takes away the rows of a rollout after assignments were deleted. Its next step makes them anew. */
export function loseRows(record: RolloutRecord, controller: Controller): void {
  const rollouts = controller.rolloutsOf(record.subject.key);
  const isKept = rollouts.roleOf(record) === 'frozen' && record !== rollouts.newest;
  if (!isKept && !record.isQueued && !record.isNew) controller.writer.loseRows(record);
}
