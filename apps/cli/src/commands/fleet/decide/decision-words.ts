import type { DecisionAction } from '#core/kernel/api/fleet/fleet-decision';

/** The words for a decision: `approve`, `approved`, its effect, and its scope. */
type DecisionWords = Readonly<{ verb: string; past: string; effect: string; applies: string }>;

/** The words of each action. `effect` is the controller's next step. */
export const DECISION_WORDS: Readonly<Record<DecisionAction, DecisionWords>> = {
  Approve: {
    verb: 'approve',
    past: 'approved',
    effect: 'clusters of the class may start',
    applies: 'a class that a rule of the strategy denies cannot be approved',
  },
  Reject: {
    verb: 'reject',
    past: 'rejected',
    effect: 'no further cluster of the class starts',
    applies: 'a class of the roll-out can be rejected',
  },
  Pause: {
    verb: 'pause',
    past: 'paused',
    effect: 'nothing starts, what runs ends',
    applies: 'one that plans or makes progress can be paused',
  },
  Resume: {
    verb: 'resume',
    past: 'resumed',
    effect: 'it goes on',
    applies: 'one that is paused by a decision, or has halted after failures, can be resumed',
  },
  Promote: {
    verb: 'promote',
    past: 'promoted',
    effect: 'the wave goes on',
    applies: 'a wave can be promoted that waits for it, soaks, or lacks successes',
  },
  Retry: {
    verb: 'retry',
    past: 'tried again',
    effect: 'failed clusters wait for their turn again',
    applies: 'clusters can be tried again that have failed, gone back or been set aside by a decision',
  },
  Skip: {
    verb: 'skip',
    past: 'set aside',
    effect: 'the clusters stay as they are',
    applies: 'clusters can be set aside that wait or have failed',
  },
  Abort: {
    verb: 'abort',
    past: 'aborted',
    effect: 'nothing starts, and nothing is undone',
    applies: 'one that has neither ended nor goes back can be aborted',
  },
  Rollback: {
    verb: 'rollback',
    past: 'sent back',
    effect: 'clusters go back to what they had before',
    applies:
      'the newest roll-out of its subject can be sent back, once it has changed a cluster, and unless a rule denies it',
  },
  BreakGlass: {
    verb: 'break-glass',
    past: 'freed from windows',
    effect: 'windows do not hold it',
    applies: 'one that has not ended can be freed from windows',
  },
};

/** Names the consequence of a decision. A Retry of a rollout that went back or was aborted begins another. */
export const effectOf = (action: DecisionAction, phase: string | undefined): string =>
  action === 'Retry' && (phase === 'RolledBack' || phase === 'Aborted')
    ? 'a new roll-out of the same target begins'
    : DECISION_WORDS[action].effect;
