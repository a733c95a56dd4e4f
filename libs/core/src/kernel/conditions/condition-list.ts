import { sameJson } from '../canonical/same-json.js';

/** A condition of any kind, as far as every reader of conditions needs it. */
type AnyCondition = Readonly<{ type: string; status: string }>;

/** A condition as found. The time of its last transition comes from the stored condition. */
export type FoundCondition = Readonly<{
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}>;
export type StoredCondition = FoundCondition & Readonly<{ lastTransitionTime: string }>;

/** Returns the condition of a type. */
export const conditionOf = <C extends AnyCondition>(list: readonly C[] | undefined, type: string): C | undefined =>
  list?.find((one) => one.type === type);

/** True if the condition is there and has status True. */
export const isTrue = (list: readonly AnyCondition[] | undefined, type: string): boolean =>
  conditionOf(list, type)?.status === 'True';

/** Puts a condition in place of the one of its type, or at the end. */
export function replaceCondition<C extends AnyCondition>(list: readonly C[], fresh: C): C[] {
  const old = conditionOf(list, fresh.type);
  return old === undefined ? [...list, fresh] : list.map((one) => (one === old ? fresh : one));
}

/** Removes conditions of these types; returns the same list if there are none. */
export function removeConditions<C extends AnyCondition>(list: readonly C[], types: readonly string[]): readonly C[] {
  const left = list.filter(({ type }) => !types.includes(type));
  return left.length === list.length ? list : left;
}

/** Adds the time of the last transition: that of the stored condition, or `at` if its status is another. */
export function transitioned<F extends AnyCondition>(
  found: F,
  before: readonly (AnyCondition & Readonly<{ lastTransitionTime?: unknown }>)[] | undefined,
  at: string,
): F & { lastTransitionTime: string } {
  const known = conditionOf(before, found.type);
  const since = known?.status === found.status ? known.lastTransitionTime : undefined;
  return { ...found, lastTransitionTime: typeof since === 'string' ? since : at };
}

/**
 * Merges found conditions into stored ones, sorted by type; those of other types stay. Returns the same list
 * if nothing has changed, so that nothing is written.
 */
export function mergedConditions(
  before: readonly StoredCondition[],
  found: readonly FoundCondition[],
  at: string,
): readonly StoredCondition[] {
  const others = removeConditions(
    before,
    found.map(({ type }) => type),
  );
  const after = [...others, ...found.map((one) => transitioned(one, before, at))];
  after.sort((a, b) => (a.type < b.type ? -1 : 1));
  return sameJson(after, before) ? before : after;
}
