import type { DecisionAction } from '#core/kernel/api/fleet/fleet-decision';

/** How a decision is spoken of: `approve`, `approved`, and what it brings about. */
export type DecisionWords = Readonly<{ verb: string; past: string; effect: string }>;

/** The words of each action. `effect` is what the controller does next. */
export const DECISION_WORDS: Readonly<Record<DecisionAction, DecisionWords>> = {
  Approve: { verb: 'approve', past: 'approved', effect: 'clusters of the class may start' },
  Reject: { verb: 'reject', past: 'rejected', effect: 'no further cluster of the class starts' },
  Pause: { verb: 'pause', past: 'paused', effect: 'nothing starts, what runs ends' },
  Resume: { verb: 'resume', past: 'resumed', effect: 'it goes on' },
  Promote: { verb: 'promote', past: 'promoted', effect: 'the wave goes on' },
  Retry: { verb: 'retry', past: 'tried again', effect: 'failed clusters wait for their turn again' },
  Skip: { verb: 'skip', past: 'set aside', effect: 'the clusters stay as they are' },
  Abort: { verb: 'abort', past: 'aborted', effect: 'nothing starts, and nothing is undone' },
  Rollback: { verb: 'rollback', past: 'sent back', effect: 'clusters go back to what they had before' },
  BreakGlass: { verb: 'break-glass', past: 'freed from windows', effect: 'windows do not hold it' },
};
