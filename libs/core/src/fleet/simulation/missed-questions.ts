import type { GateSpec } from '../../kernel/api/fleet/fleet-strategy.js';
import { dueAt } from '../rollout/gate-progress.js';
import type { RolloutRow } from '../rollout/row.js';
import { soakEnd } from '../rollout/wave-moves.js';
import type { RolloutRecord } from './rollout-record.js';

/** Gates do not run out of time while no controller asks them: called when one has started again. */
export function forgiveMissedQuestions(record: RolloutRecord, now: number): void {
  for (const row of [...record.rows.values()]) {
    const late = row.phase === 'Verifying' && row.heldSince === undefined ? lateFor(record, row, now) : 0;
    if (late > 0)
      record.store({ ...row, gatesSince: later(row.gatesSince, late), deadlineAt: later(row.deadlineAt, late) });
  }
  const waves = record.status.waves.map((wave, at) => {
    const rules = record.spec.waves[at]?.spec;
    const tally = record.tallies[at];
    if (wave.phase !== 'Soaking' || rules === undefined || tally === undefined) return wave;
    const from = Math.max(soakEnd(wave, tally, rules.soak), wave.gatesFrom ?? now);
    const late = Math.min(missed(after(rules.gates, 'Wave'), wave.gates, now), now - from);
    return late > 0 ? { ...wave, gatesFrom: from + late } : wave;
  });
  record.status = { ...record.status, waves };
}

const after = (gates: readonly GateSpec[], scope: GateSpec['scope']): readonly GateSpec[] =>
  gates.filter((gate) => gate.when === 'After' && gate.scope === scope);

const later = (time: number | undefined, by: number): number | undefined =>
  time === undefined ? undefined : time + by;

const lateFor = ({ spec }: RolloutRecord, row: RolloutRow, now: number): number =>
  missed(after(spec.waves[row.wave]?.spec.gates ?? [], 'Cluster'), row.gates, now);

/** Since when a question that was due has not been asked. */
function missed(gates: readonly GateSpec[], progress: RolloutRow['gates'], now: number): number {
  const due = gates.flatMap(({ name, interval }) => {
    const asked = progress[name];
    return asked === undefined || asked.state === 'Green' ? [] : [dueAt(asked, interval)];
  });
  return Math.max(0, now - Math.min(now, ...due));
}
