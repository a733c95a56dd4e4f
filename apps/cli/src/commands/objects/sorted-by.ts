import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { stepsOf, valuesAt } from '../../output/json-path-steps.js';
import type { Found } from './found-object.js';

/**
 * Objects by the value that a path leads to in each, those without a value first; equal
 * ones stay in their order.
 */
export function sortedBy(found: readonly Found[], path: string): readonly Found[] {
  const steps = stepsOf(path.replace(/^\{(.*)\}$/s, '$1'), path);
  return found
    .map((one) => ({ one, key: valuesAt(one.object, steps)[0] }))
    .toSorted((a, b) => compared(a.key, b.key))
    .map(({ one }) => one);
}

function compared(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return byCodeUnit(textOf(a), textOf(b));
}

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
