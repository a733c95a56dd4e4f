import type { Entry } from '../../../catalog/model/entry.js';
import type { ConstraintBuilder } from './build-constraints.js';
import type { ConstraintSystem } from './constraint-system.js';
import { type FailedResolution, failed } from './prepare.js';

/** The entries among the variables of a solution. */
export function pickedEntries(system: ConstraintSystem, picked: readonly number[]): Entry[] {
  return picked.flatMap((index) => {
    const variable = system.variables[index];
    return variable?.kind === 'entry' ? [variable.entry] : [];
  });
}

/**
 * OLM cannot distinguish two entries of one id, and fails when it has chosen one
 * (spec: classic-resolution.md §4).
 */
export function clashOf(builder: ConstraintBuilder, picked: readonly number[]): FailedResolution | undefined {
  const messages = picked.flatMap((index) => {
    const clash = builder.ambiguous.get(index);
    return clash === undefined ? [] : [`expected exactly one operator, got ${clash.size}`];
  });
  return messages.length === 0
    ? undefined
    : failed(
        messages,
        'Two packages of a catalog have a CSV of the same name in channels of the same name: rename one.',
      );
}
