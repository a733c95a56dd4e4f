import type { RolloutPhase } from '../controller/step/phases.js';
import { isFinal } from '../controller/step/phases.js';

/** A rollout of a subject, as far as its place in the history goes. */
export type PastRollout = Readonly<{ name: string; phase: RolloutPhase }>;

/**
 * Returns the rollouts of a subject over its `historyLimit`. The list has all existing rollouts, the oldest
 * first. Active rollouts, the newest one and the standing one (the newest Completed) stay at any limit. The
 * newest gives the next one its number. The standing one is the target of clusters that join.
 */
export function rolloutsOverLimit(inOrder: readonly PastRollout[], historyLimit: number): readonly string[] {
  const standing = inOrder.findLast(({ phase }) => phase === 'Completed');
  const ended = inOrder.filter(({ phase }) => isFinal(phase));
  const over = ended.slice(0, Math.max(0, ended.length - historyLimit));
  return over.filter((one) => one !== standing && one !== inOrder.at(-1)).map(({ name }) => name);
}
