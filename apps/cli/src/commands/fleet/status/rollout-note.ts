import { counted } from '#core/kernel/text/counted';
import { isFinal } from '#core/rollout/controller/step/phases';
import { WITHDRAWN_NOTE } from '#core/rollout/controller/step/withdrawn';
import type { RolloutAnswer } from '../rollout/rollout-answer.js';
import { awaitedClasses, type RolloutHints } from '../rollout/rollout-hints.js';

/** Returns the most important fact about a rollout, in a few words. */
export function rolloutNote(answer: RolloutAnswer, hints: RolloutHints): string {
  const { phase, reason, classes, waves, waiting } = answer;
  if (hints.isWithdrawn && !isFinal(phase)) return WITHDRAWN_NOTE;
  const toApprove = awaitedClasses(classes, hints).length;
  if (toApprove > 0) return `${counted(toApprove, 'class waits', 'classes wait')} for approval`;
  if (phase === 'Halted' || phase === 'Paused') return reason;
  if (isFinal(phase)) return '';
  if (waves.some((wave) => wave.phase === 'AwaitingPromotion')) return 'waits for promotion';
  const soaking = waves.find((wave) => wave.phase === 'Soaking');
  if (soaking?.reason === 'NotEnoughSuccesses') return 'not enough successes';
  if (soaking !== undefined) return 'soaks';
  const [kept] = hints.kept;
  if (kept !== undefined) return `${kept.clusters} ${kept.reason}`;
  const [first] = waiting.filter((one) => one.reason !== 'WaveNotOpen' && one.reason !== 'Budget');
  if (first !== undefined) {
    const until = first.window === null ? '' : ` (${first.window.until})`;
    return `${first.clusters} ${first.reason}${until}`;
  }
  return waves.some((wave) => wave.phase === 'Open' && wave.reason === 'NotEnoughSuccesses')
    ? 'not enough successes'
    : '';
}
