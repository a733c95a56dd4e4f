import type { Decision } from '../step/decisions.js';
import type { RolloutFacts } from '../step/facts.js';
import type { RolloutView } from '../step/rollout-state.js';
import { type StepResult, stepRollout } from '../step/step.js';
import type { RolloutRecord } from './rollout-record.js';
import { isEvent, type RowChange } from './row-change.js';

export type MadeStep = Readonly<{
  result: StepResult;
  changes: readonly RowChange[];
  hasStatus: boolean;
  /** Clusters with another phase or reason. */
  moved: readonly string[];
  /** True if no further step follows. */
  isLast: boolean;
}>;

type SteppedRollout = Readonly<{ record: RolloutView & Readonly<{ isNew: boolean }>; facts: RolloutFacts }>;

/** Makes one step of a rollout. Its record stays as it is until the caller stores the step. */
export function makeStep(
  { record, facts }: SteppedRollout,
  decision: Decision | undefined,
  examined: Iterable<string>,
  now: number,
): MadeStep {
  const result = stepRollout(record, facts, decision, examined, now);
  const changes = [...result.rows.values()].map((after) => ({ before: record.rows.get(after.cluster), after }));
  const moved = changes.filter(isEvent).map(({ after }) => after.cluster);
  const hasStatus = result.status !== record.status || record.isNew;
  return { result, changes, hasStatus, moved, isLast: decision === undefined && !hasStatus && moved.length === 0 };
}

/** Stores a step in the record of its rollout. */
export function storeStep(record: RolloutRecord, { result: { rows, tallies, status } }: MadeStep): void {
  for (const row of rows.values()) record.store(row);
  Object.assign(record, { tallies, status, isNew: false, attendedUntil: Number.POSITIVE_INFINITY });
}

type Advance<D> = Readonly<{
  /** Open decisions, the older ones first. A step takes at most one. */
  decisions: D[];
  decisionOf: (open: D) => Decision;
  /** Clusters that the first step examines. */
  examined: Iterable<string>;
  /** Returns every cluster that has a row, or may get one. */
  all: () => Iterable<string>;
  /** Returns clusters that have changed since the step before. */
  news: () => Iterable<string>;
  now: number;
  most: number;
}>;

/**
 * Makes the steps of a rollout until it rests. The caller stores each step before it asks for the next one.
 * `decided`: the decision that a step has carried out.
 */
export function* advance<D>(
  { record, facts }: Readonly<{ record: RolloutRecord; facts: RolloutFacts }>,
  { decisions, decisionOf, examined: first, all, news, now, most }: Advance<D>,
): Generator<MadeStep & Readonly<{ decided: D | undefined }>> {
  let examined = first;
  let isReplaced = false;
  for (let left = most; left > 0; left--) {
    // A decision needs the rows that it names. With a new rollout in view the others are made later.
    const decided = record.isNew || isReplaced ? undefined : decisions.shift();
    const decision = decided === undefined ? undefined : decisionOf(decided);
    const made = makeStep({ record, facts }, decision, examined, now);
    yield { ...made, decided };
    if (made.isLast) return;
    isReplaced ||= made.result.decision?.isNewRollout === true;
    const changed = news();
    examined = made.hasStatus ? all() : new Set([...made.moved, ...changed]);
  }
}
