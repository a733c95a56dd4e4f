import type { Decision } from '../step/decisions.js';
import type { RolloutFacts } from '../step/facts.js';
import { type StepResult, stepRollout } from '../step/step.js';
import type { RolloutRecord } from './rollout-record.js';
import { isEvent } from './row-change.js';

type TakenStep = Readonly<{
  result: StepResult;
  hasStatus: boolean;
  /** Clusters with another phase or reason. */
  moved: readonly string[];
  /** True if no further step follows. */
  isLast: boolean;
}>;

/** Makes one step in the record of a rollout. Nothing has happened until the caller writes it. */
export function takeStep(
  { record, facts }: Readonly<{ record: RolloutRecord; facts: RolloutFacts }>,
  decision: Decision | undefined,
  examined: Iterable<string>,
  now: number,
): TakenStep {
  const result = stepRollout(record, facts, decision, examined, now);
  const changes = [...result.rows.values()].map((after) => ({ before: record.rows.get(after.cluster), after }));
  const moved = changes.filter(isEvent).map(({ after }) => after.cluster);
  const hasStatus = result.status !== record.status || record.isNew;
  for (const row of result.rows.values()) record.store(row);
  const attendedUntil = Number.POSITIVE_INFINITY;
  Object.assign(record, { tallies: result.tallies, status: result.status, isNew: false, attendedUntil });
  const isLast = decision === undefined && !hasStatus && moved.length === 0;
  return { result, hasStatus, moved, isLast };
}
