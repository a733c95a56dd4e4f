import type { ChangeKind, StrategySpec } from '../../../kernel/api/fleet/fleet-strategy.js';
import type { Wave, WaveCut } from '../../placement/waves.js';
import type { ClassState, ClassVote } from '../../review/class-approval.js';
import type { GateProgress } from './gate-progress.js';
import type { RolloutPhase, StopReason, WavePhase } from './phases.js';
import type { RolloutRow } from './row.js';
import type { WaveTally } from './tally.js';

/** Fields that are fixed when a rollout is created. */
export type RolloutSpec = Readonly<{
  /** `<namespace>/<name>`. */
  name: string;
  uid: string;
  subject: string;
  number: number;
  target: string;
  /** The hash of the requested spec, if the rollout brings another spec to installed operators. */
  specHash?: string | undefined;
  trigger: 'Release' | 'Retry';
  strategy: StrategySpec;
  waves: readonly Wave[];
  cuts: readonly WaveCut[];
}>;

export type WaveStatus = Readonly<{
  phase: WavePhase;
  reason: string;
  openedAt: number | undefined;
  completedAt: number | undefined;
  /** A Promote decision has ended its soak, or its wait for successes. */
  isPromoted: boolean;
  gates: Readonly<Record<string, GateProgress>>;
  /** The start of the time limit of its gates. */
  gatesFrom: number | undefined;
  /** The last success of clusters with rows that no longer show it: they have left, or began again. */
  lastSuccessAt?: number | undefined;
}>;

export type ClassStatus = Readonly<{
  name: string;
  changes: readonly ChangeKind[];
  votes: readonly ClassVote[];
  state: ClassState;
}>;

export type RolloutStatus = Readonly<{
  phase: RolloutPhase;
  reason: string;
  startedAt: number;
  finishedAt: number | undefined;
  isPlanned: boolean;
  waves: readonly WaveStatus[];
  classes: readonly ClassStatus[];
  /** The reason why it stops by itself, until a decision. */
  stop: StopReason | undefined;
  isAborting: boolean;
  isSuperseding: boolean;
  /** All clusters, or a wave, go back: how that began. */
  isGoingBack: boolean;
  breakGlass: readonly BreakGlass[];
}>;

export type BreakGlass = Readonly<{ groups: readonly string[]; until: number }>;

/** A rollout as a step reads it. Rows and tallies belong together. */
export type RolloutView = Readonly<{
  spec: RolloutSpec;
  status: RolloutStatus;
  rows: ReadonlyMap<string, RolloutRow>;
  tallies: readonly WaveTally[];
  /** Clusters that wait for a place in a wave, in their order; more than asked for may be in it. */
  forBudget: (wave: number) => Iterable<string>;
  /** Clusters that were chosen to go back, by wave and order; more may be in it. */
  forReturn: () => Iterable<string>;
  /**
   * Until when a controller has attended to the rollout without a gap, or is due to; `-Infinity`: that is
   * not known, since the controller has just started.
   */
  attendedUntil: number;
}>;

const NEW_WAVE: WaveStatus = {
  phase: 'Pending',
  reason: 'NotItsTurn',
  openedAt: undefined,
  completedAt: undefined,
  isPromoted: false,
  gates: {},
  gatesFrom: undefined,
};

export const newStatus = (now: number, waves: number, reason: string): RolloutStatus => ({
  phase: 'Planning',
  reason,
  startedAt: now,
  finishedAt: undefined,
  isPlanned: false,
  waves: Array.from({ length: waves }, () => NEW_WAVE),
  classes: [],
  stop: undefined,
  isAborting: false,
  isSuperseding: false,
  isGoingBack: false,
  breakGlass: [],
});
