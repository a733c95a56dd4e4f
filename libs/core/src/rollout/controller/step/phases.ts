/** Phases of a cluster in a rollout. */
const ROW_PHASES = [
  'Waiting',
  'Applying',
  'Verifying',
  'Done',
  'Failed',
  'RollingBack',
  'RolledBack',
  'Skipped',
  'Removed',
] as const;
export type RowPhase = (typeof ROW_PHASES)[number];

export const WAITING_REASONS = [
  'Offline',
  'Planning',
  'PlanChanged',
  'Rejected',
  'Denied',
  'Approval',
  'RolloutPaused',
  'Halted',
  'WaveNotOpen',
  'WaitingCatalog',
  'OtherRollout',
  'Neighbour',
  'Frozen',
  'Window',
  'GateBefore',
  'Budget',
] as const;
export type WaitingReason = (typeof WAITING_REASONS)[number];

/** Causes of a failure that a row made anew has as well. */
const KEPT_FAILURES = [
  ...(['ApplyFailed', 'ProgressDeadlineExceeded', 'GateRed', 'GateTimeout', 'HealthLost', 'Offline'] as const),
  ...(['RollbackBlocked', 'RollbackFailed'] as const),
];
const REMOVED = ['Left', 'Unplaced', 'Replaced'] as const;
const SKIPPED_BY_OWNER = ['ClusterPaused', 'IdentityChanged', 'LeftToOLM', 'Conflict', 'VersionNotAllowed'] as const;
const RETURN_REASONS = ['OnFailure', 'ClusterFailure', 'Decision'] as const;

type Leaves = Readonly<Partial<Record<RowPhase, readonly string[]>>>;

/**
 * The one transition table of a cluster in a rollout: from a phase to the next, with the reasons of the
 * step. `null`: a row that begins, also one that is rebuilt from its cluster. A change of the reason alone
 * leads from a phase to itself.
 */
export const TRANSITIONS: Readonly<Record<RowPhase | 'null', Leaves>> = {
  null: {
    Waiting: WAITING_REASONS,
    Applying: ['Rebuilt'],
    Verifying: ['Rebuilt'],
    Done: ['Rebuilt'],
    Failed: KEPT_FAILURES,
    RolledBack: ['Returned'],
  },
  Waiting: {
    Waiting: WAITING_REASONS,
    Applying: ['Started', 'Retry', 'Rebuilt'],
    Verifying: ['Rebuilt'],
    Done: ['UpToDate', 'Rebuilt'],
    Failed: ['ResolutionFailed', ...KEPT_FAILURES],
    RolledBack: ['Returned'],
    Skipped: ['Offline', ...SKIPPED_BY_OWNER, 'OtherTarget', 'ByDecision', 'Superseded'],
    Removed: REMOVED,
  },
  Applying: {
    Applying: ['Hop', 'Unreachable', 'Reachable', 'ClusterPaused', 'RolloutPaused', 'Halted', 'WindowClosed'],
    Verifying: ['Applied'],
    Done: ['UpToDate'],
    Waiting: ['PlanChanged'],
    Failed: ['ApplyFailed', 'ProgressDeadlineExceeded', 'Offline', 'RollbackBlocked', 'RollbackFailed'],
    Skipped: ['LostContact', 'ByDecision', 'Superseded', 'VersionNotAllowed'],
    RollingBack: RETURN_REASONS,
    Removed: REMOVED,
  },
  Verifying: {
    Verifying: ['Unreachable', 'Reachable'],
    Done: ['Healthy', 'UpToDate'],
    Failed: ['ProgressDeadlineExceeded', 'GateRed', 'GateTimeout', 'Offline'],
    Skipped: ['LostContact', 'VersionNotAllowed'],
    Removed: REMOVED,
  },
  Done: {
    Failed: ['HealthLost', 'RollbackBlocked', 'RollbackFailed'],
    RollingBack: RETURN_REASONS,
    Removed: REMOVED,
  },
  Failed: {
    Waiting: WAITING_REASONS,
    Failed: ['RollbackBlocked', 'RollbackFailed'],
    RollingBack: RETURN_REASONS,
    Skipped: ['ByDecision'],
    Removed: REMOVED,
  },
  RollingBack: { RolledBack: ['Returned'], Failed: ['RollbackFailed'], Removed: REMOVED },
  RolledBack: { Waiting: WAITING_REASONS, Removed: REMOVED },
  Skipped: { Waiting: WAITING_REASONS, Removed: REMOVED },
  Removed: {},
};

/** True if the table has this step. */
export const isTransition = (from: RowPhase | null, to: RowPhase, reason: string): boolean =>
  TRANSITIONS[from ?? 'null'][to]?.includes(reason) ?? false;

export type WavePhase =
  | 'Pending'
  | 'AwaitingPromotion'
  | 'Open'
  | 'Soaking'
  | 'Complete'
  | 'RollingBack'
  | 'RolledBack';
/** All reasons in each phase of a wave. */
export const WAVE_REASONS: Readonly<Record<WavePhase, readonly string[]>> = {
  Pending: ['NotItsTurn', 'GateBefore'],
  AwaitingPromotion: ['Manual'],
  Open: ['Opened', 'Promoted', 'NotEnoughSuccesses'],
  Soaking: ['Soak', 'GateAfter', 'NotEnoughSuccesses'],
  Complete: ['Passed', 'Promoted', 'Empty'],
  RollingBack: ['OnFailure', 'Decision'],
  RolledBack: ['Returned'],
};

export type RolloutPhase =
  | 'Planning'
  | 'Progressing'
  | 'Paused'
  | 'Halted'
  | 'RollingBack'
  | 'Completed'
  | 'RolledBack'
  | 'Aborted'
  | 'Superseded';
const STOPS = ['ThresholdExceeded', 'GateRed', 'GateTimeout'] as const;
/** Reasons why a rollout stops by itself. */
export type StopReason = (typeof STOPS)[number];
/** All reasons in each phase of a rollout. */
export const ROLLOUT_REASONS: Readonly<Record<RolloutPhase, readonly string[]>> = {
  Planning: ['Released', 'Retry', 'Queued'],
  Progressing: ['Planned', 'Resumed', 'Retried', ...STOPS, 'Aborting', 'Superseding'],
  Paused: ['Decision', 'SubjectPaused'],
  Halted: [...STOPS, 'RollbackIncomplete'],
  RollingBack: [...STOPS, 'Decision'],
  Completed: ['AllWavesComplete'],
  RolledBack: ['AllRolledBack', 'WaveRolledBack'],
  Aborted: ['Decision'],
  Superseded: ['NewerTarget'],
};

const FINAL: ReadonlySet<RolloutPhase> = new Set(['Completed', 'RolledBack', 'Aborted', 'Superseded']);
export const isFinal = (phase: RolloutPhase): boolean => FINAL.has(phase);
