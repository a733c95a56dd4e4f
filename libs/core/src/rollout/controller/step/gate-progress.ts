import type { GateSpec } from '../../../kernel/api/fleet/fleet-strategy.js';
import { durationMs } from '../../placement/waves.js';

export type GateAnswer = 'green' | 'red' | 'none';
type GateState = 'Green' | 'Red' | 'Unknown';

/** The number of equal answers in a row that a gate has given, and the state that follows. */
export type GateProgress = Readonly<{ green: number; red: number; askedAt: number; state: GateState | null }>;

const UNASKED: GateProgress = { green: 0, red: 0, askedAt: Number.NEGATIVE_INFINITY, state: null };

/** True if the gate is due for a question: at once, then after each interval. */
export const isDue = (progress: GateProgress | undefined, { interval }: GateSpec, now: number): boolean =>
  now >= dueAt(progress, interval);

export const dueAt = (progress: GateProgress | undefined, interval: string): number =>
  (progress ?? UNASKED).askedAt + durationMs(interval);

/** Returns the time of the next question to a gate. One without an answer is repeated after the interval. */
export function nextDueAt(progress: GateProgress | undefined, { interval }: GateSpec, now: number): number {
  const due = dueAt(progress, interval);
  return due > now ? due : now + durationMs(interval);
}

/** The progress after an answer: enough equal ones in a row decide, none breaks both rows. */
export function afterAnswer(
  progress: GateProgress | undefined,
  { times }: GateSpec,
  answer: GateAnswer,
  now: number,
): GateProgress {
  const before = progress ?? UNASKED;
  const green = answer === 'green' ? before.green + 1 : 0;
  const red = answer === 'red' ? before.red + 1 : 0;
  return { green, red, askedAt: now, state: stateOf(before.state, answer, Math.max(green, red) >= times) };
}

function stateOf(before: GateState | null, answer: GateAnswer, isDecided: boolean): GateState | null {
  if (answer === 'none') return 'Unknown';
  if (!isDecided) return before;
  return answer === 'green' ? 'Green' : 'Red';
}
