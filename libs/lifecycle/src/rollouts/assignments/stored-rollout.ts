import type { StoredRow } from '#core/rollout/controller/record/stored-rows';
import type { DecisionReason } from '#core/rollout/controller/step/decisions';
import type { RolloutStatus } from '#core/rollout/controller/step/rollout-state';
import type { MovedEvent } from '#core/rollout/status/rollout-events';

/**
 * Annotation on a FleetRollout: the events that happen once, and the rows that a step has begun and may not
 * have written.
 */
export const STATE_ANNOTATION = 'fleet.flotilla.dev/state';
/** Annotation on a FleetAssignment: the rows of its cluster, by rollout. */
export const ROWS_ANNOTATION = 'fleet.flotilla.dev/rows';

export type StoredState = Readonly<{
  step: number;
  /** Time of the step, in milliseconds. Absent if an older hub has written it. */
  at?: number;
  status: RolloutStatus;
  intent: readonly StoredRow[];
  /** The decision that has led to it, in the write that comes before its outcome. */
  decided?: Decided;
  /** Keys of the newest decisions that took effect. A decision without its outcome has no effect twice. */
  taken?: readonly string[];
  /** The newest decisions that had no effect. A decision without its outcome is not judged twice. */
  refused?: readonly Refused[];
  /** Events that follow the write. A controller that starts writes the missing ones. */
  events?: readonly MovedEvent[];
}>;
/** A decision that took effect. `isPart`: more of its rows follow in a write after this one. */
export type Decided = Readonly<{ key: string; isNewRollout: boolean; isPart: boolean }>;
/** A decision without an effect, and the reason for it. */
export type Refused = Readonly<{ key: string; reason: DecisionReason; message?: string }>;
/** Decisions of each kind that a rollout names. */
export const MOST_TAKEN = 100;
export type StoredRows = Readonly<Record<string, StoredRow>>;

type Annotated = Readonly<{ metadata: object }>;

const annotation = ({ metadata }: Annotated, key: string): string | undefined =>
  (metadata as Readonly<{ annotations?: Readonly<Record<string, string>> }>).annotations?.[key];

/** Reads JSON that the controller itself has written. Unreadable text counts as absent. */
function readJson<T>(text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

export const storedState = (rollout: Annotated): StoredState | undefined =>
  readJson<StoredState>(annotation(rollout, STATE_ANNOTATION));

export const storedRows = (assignment: Annotated): StoredRows =>
  readJson<StoredRows>(annotation(assignment, ROWS_ANNOTATION)) ?? {};
