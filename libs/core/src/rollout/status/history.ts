import type { RolloutPhase } from '../controller/step/phases.js';
import { isFinal } from '../controller/step/phases.js';

/** A roll-out of a subject, as far as its place in the history goes. */
export type PastRollout = Readonly<{ name: string; phase: RolloutPhase }>;

/**
 * The roll-outs of a subject over its `historyLimit`, of all that there are, the oldest first. Those
 * that have not ended, the newest one and the standing one (the newest Completed) stay whatever the limit is:
 * the first gives the next one its number, the last is what clusters that join are brought to.
 */
export function rolloutsOverLimit(inOrder: readonly PastRollout[], historyLimit: number): readonly string[] {
  const standing = inOrder.findLast(({ phase }) => phase === 'Completed');
  const ended = inOrder.filter(({ phase }) => isFinal(phase));
  const over = ended.slice(0, Math.max(0, ended.length - historyLimit));
  return over.filter((one) => one !== standing && one !== inOrder.at(-1)).map(({ name }) => name);
}
