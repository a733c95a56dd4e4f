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
    applies: 'only a class of the rollout can be rejected',
  },
  Pause: {
    verb: 'pause',
    past: 'paused',
    effect: 'nothing new starts; running upgrades finish',
    applies: 'only a rollout that plans or progresses can be paused',
  },
  Resume: {
    verb: 'resume',
    past: 'resumed',
    effect: 'it continues',
    applies: 'only a rollout that a decision paused, or that halted after failures, can be resumed',
  },
  Promote: {
    verb: 'promote',
    past: 'promoted',
    effect: 'the wave continues',
    applies: 'only a wave that waits for promotion, soaks, or has too few successes can be promoted',
  },
  Retry: {
    verb: 'retry',
    past: 'retried',
    effect: 'failed clusters are queued again',
    applies: 'only clusters that failed, were rolled back, or were skipped by a decision can be retried',
  },
  Skip: {
    verb: 'skip',
    past: 'skipped',
    effect: 'the clusters do not change',
    applies: 'only clusters that wait or have failed can be skipped',
  },
  Abort: {
    verb: 'abort',
    past: 'aborted',
    effect: 'nothing starts, and nothing is rolled back',
    applies: 'only a rollout that has neither ended nor rolls back can be aborted',
  },
  Rollback: {
    verb: 'rollback',
    past: 'rolled back',
    effect: 'clusters are rolled back to their previous version',
    applies:
      'only the newest rollout of its subject can be rolled back, after it changed a cluster, and if no rule denies it',
  },
  BreakGlass: {
    verb: 'break-glass',
    past: 'freed from windows',
    effect: 'windows do not block it',
    applies: 'only a rollout that has not ended can be freed from windows',
  },
};

/** Names the consequence of a decision. A Retry of a rollout that went back or was aborted begins another. */
export const effectOf = (action: DecisionAction, phase: string | undefined): string =>
  action === 'Retry' && (phase === 'RolledBack' || phase === 'Aborted')
    ? 'a new rollout of the same target begins'
    : DECISION_WORDS[action].effect;
