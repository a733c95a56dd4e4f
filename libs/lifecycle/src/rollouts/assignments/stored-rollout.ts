import type { RolloutStatus } from '#core/rollout/controller/step/rollout-state';
import type { RolloutRow } from '#core/rollout/controller/step/row';
import type { MovedEvent } from '#core/rollout/status/rollout-events';

/**
 * Annotation on a FleetRollout: the events that happen once, and the rows that a step has begun and may not
 * have written.
 */
export const STATE_ANNOTATION = 'fleet.flotilla.dev/state';
/** Annotation on a FleetAssignment: the rows of its cluster, by rollout. */
export const ROWS_ANNOTATION = 'fleet.flotilla.dev/rows';

/** A row with the step that wrote it: of two the later one counts. */
export type StoredRow = Readonly<{ step: number; row: RolloutRow }>;
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
  /** Events that follow the write. A controller that starts writes the missing ones. */
  events?: readonly MovedEvent[];
}>;
/** A decision that took effect. `isPart`: more of its rows follow in a write after this one. */
export type Decided = Readonly<{ key: string; isNewRollout: boolean; isPart: boolean }>;
/** Decisions that a rollout names. */
export const MOST_TAKEN = 100;
export type StoredRows = Readonly<Record<string, StoredRow>>;

/** The annotations of an object have 256 KiB; the other state of a rollout there has the other half. */
const MOST_INTENT_CHARACTERS = 128 * 1024;
const MOST_INTENT_ROWS = 100;

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

/**
 * Splits clusters into the parts in which their rows are announced in their rollout, each with as many as
 * have room. A cluster without a row takes no room. Returns at least one part, which may be empty.
 */
export function intentParts(
  clusters: readonly string[],
  rowOf: (cluster: string) => RolloutRow | undefined,
): readonly (readonly string[])[] {
  let part: string[] = [];
  const parts = [part];
  let characters = 0;
  for (const cluster of clusters) {
    // The size of its step and its enclosing JSON is small, and the limit is approximate.
    const size = JSON.stringify(rowOf(cluster) ?? null).length;
    const isFull = part.length === MOST_INTENT_ROWS || characters + size > MOST_INTENT_CHARACTERS;
    if (isFull && part.length > 0) {
      part = [];
      parts.push(part);
      characters = 0;
    }
    part.push(cluster);
    characters += size;
  }
  return parts;
}
