import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import type { FleetRollout } from '#core/kernel/api/fleet/fleet-rollout';
import type { JudgedDecision } from '#core/rollout/controller/record/rollout-pass';
import { concernedBy, type Decision, type DecisionEffects } from '#core/rollout/controller/step/decisions';
import type { RolloutView } from '#core/rollout/controller/step/rollout-state';
import { type Decided, MOST_TAKEN, type Refused, storedState } from '../../assignments/stored-rollout.js';
import type { FleetState } from './fleet-state.js';

/** The parts of a rollout that link decisions to it. */
type DecidedRollout = Readonly<{ object: FleetRollout; record: Readonly<{ spec: Readonly<{ name: string }> }> }>;

/** The decisions about a rollout that have no outcome yet, the older ones first. */
type OpenDecisions = Readonly<{
  /** Decisions that were judged, without an outcome: it was deleted, or the controller was killed. */
  done: readonly Readonly<{ decision: FleetDecision; effects: DecisionEffects }>[];
  /**
   * Made before the rollout existed: they are about another rollout of this name with an object that was
   * lost.
   */
  earlier: readonly FleetDecision[];
  open: readonly FleetDecision[];
}>;

export function openDecisions({ object, record }: DecidedRollout, { decisions }: FleetState): OpenDecisions {
  const all = decisions.filter(
    ({ metadata, spec, status }) =>
      `${metadata.namespace}/${spec.rollout}` === record.spec.name &&
      (status as Readonly<{ at?: string }> | undefined)?.at === undefined,
  );
  const { decided, taken = [], refused = [] } = storedState(object) ?? {};
  const refusalOf = (one: FleetDecision) => refused.find(({ key }) => key === keyOf(one));
  const isLast = (one: FleetDecision): boolean => decided?.isPart === false && keyOf(one) === decided.key;
  const earlier = all.filter((one) => isOfEarlier(one, object));
  const isDone = (one: FleetDecision): boolean =>
    isLast(one) || taken.includes(keyOf(one)) || refusalOf(one) !== undefined;
  const done = all.filter((one) => !earlier.includes(one) && isDone(one));
  const open = all.filter((one) => !done.includes(one) && !earlier.includes(one));
  const effectsOfDone = (one: FleetDecision): DecisionEffects => {
    const { key: _, ...refusal } = refusalOf(one) ?? { key: '', reason: 'Effective' as const };
    return { ...refusal, isNewRollout: isLast(one) && decided?.isNewRollout === true };
  };
  return {
    done: done.map((decision) => ({ decision, effects: effectsOfDone(decision) })),
    earlier,
    open: partFirst(open, decided),
  };
}

/** Orders the decisions: one that began in part is done first, whatever came meanwhile. */
const partFirst = (open: readonly FleetDecision[], decided: Decided | undefined): readonly FleetDecision[] => {
  const part = open.filter((one) => decided?.isPart === true && keyOf(one) === decided.key);
  return [...part, ...open.filter((one) => !part.includes(one))];
};

/** True if a pass that was killed has written a part of the decision. */
export const hasBegun = (decision: FleetDecision, { object }: Pick<DecidedRollout, 'object'>): boolean =>
  storedState(object)?.decided?.key === keyOf(decision);

/** The decisions that a rollout keeps. The annotations of an object have little room. */
type Kept = Readonly<{ decided: Decided | undefined; taken: readonly string[]; refused: readonly Refused[] }>;

/** Returns the decisions that the rollout keeps with a write. `isPart`: more of its rows follow. */
export function keptWith(
  { taken, refused }: Pick<Kept, 'taken' | 'refused'>,
  decided: JudgedDecision<FleetDecision> | undefined,
  isPart: boolean,
): Kept {
  if (decided === undefined) return { decided, taken, refused };
  const key = keyOf(decided.decision);
  const { reason, message, isNewRollout } = decided.effects;
  if (reason !== 'Effective') {
    const added = { key, reason, ...(message === undefined ? {} : { message }) };
    return { decided: undefined, taken, refused: [...refused, added].slice(-MOST_TAKEN) };
  }
  return {
    decided: { key, isNewRollout, isPart },
    taken: isPart ? taken : [...taken, key].slice(-MOST_TAKEN),
    refused,
  };
}

export const decisionOf = ({ metadata, spec }: FleetDecision, now: number): Decision => ({
  rollout: `${metadata.namespace}/${spec.rollout}`,
  action: spec.action,
  class: spec.class ?? null,
  ...(spec.changes === undefined ? {} : { changes: spec.changes }),
  wave: spec.wave ?? null,
  clusters: spec.clusters ?? [],
  by: spec.by,
  at: now,
  reason: spec.reason,
  expiresAt: spec.expiresAt === undefined ? undefined : Date.parse(spec.expiresAt),
});

/** Names of clusters that the status of a decision has room for: an object has 1.5 MiB at most. */
const MOST_KEPT_CHARACTERS = 512 * 1024;

/** Keeps the clusters that a decision concerned, in case the rows are lost; nothing if there is no room. */
export function keptOf(
  decision: FleetDecision,
  record: Pick<RolloutView, 'rows' | 'spec'>,
  now: number,
): Readonly<{ clusters?: readonly string[] }> {
  const clusters = concernedBy(decisionOf(decision, now), record);
  const characters = clusters?.reduce((sum, { length }) => sum + length, 0) ?? Number.POSITIVE_INFINITY;
  return clusters === undefined || characters > MOST_KEPT_CHARACTERS ? {} : { clusters };
}

type Metadata = Readonly<{ uid?: string; creationTimestamp?: string }>;

/** A decision of the same name that was made later is another one. */
const keyOf = ({ metadata }: FleetDecision): string => `${metadata.name} ${(metadata as Metadata).uid ?? ''}`;

/** True if a decision was made before this rollout existed: it is about another one of its name. */
export const isOfEarlier = (
  decision: Pick<FleetDecision, 'metadata'>,
  rollout: Pick<FleetDecision, 'metadata'>,
): boolean => createdAt(decision) < createdAt(rollout);

/** Returns NaN for an object without a time: it is neither earlier nor later than another. */
const createdAt = ({ metadata }: Pick<FleetDecision, 'metadata'>): number =>
  Date.parse((metadata as Metadata).creationTimestamp ?? '');
