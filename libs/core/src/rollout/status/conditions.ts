import { sameJson } from '../../kernel/canonical/same-json.js';

/** A condition as it was found; the time of its last transition comes from what was stored before. */
export type FoundCondition = Readonly<{
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}>;
export type StoredCondition = FoundCondition & Readonly<{ lastTransitionTime: string }>;

/**
 * Conditions after these were found: sorted by type, with a new time only where the status of one is another.
 * Those of other types stay. The same list where nothing has changed, so that nothing is written.
 */
export function mergedConditions(
  before: readonly StoredCondition[],
  found: readonly FoundCondition[],
  at: string,
): readonly StoredCondition[] {
  const types = new Set(found.map(({ type }) => type));
  const timed = found.map((one) => {
    const known = before.find(({ type }) => type === one.type);
    return { ...one, lastTransitionTime: known?.status === one.status ? known.lastTransitionTime : at };
  });
  const after = [...before.filter(({ type }) => !types.has(type)), ...timed];
  after.sort((a, b) => (a.type < b.type ? -1 : 1));
  return sameJson(after, before) ? before : after;
}
