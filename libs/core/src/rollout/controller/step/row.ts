import type { Member } from './facts.js';
import type { GateProgress } from './gate-progress.js';
import type { RowPhase } from './phases.js';

type ReturnReason = 'OnFailure' | 'ClusterFailure' | 'Decision';

/** A cluster that was chosen for a return to its previous bundle. */
export type GoBack = Readonly<{
  reason: ReturnReason;
  /** `Operator`: the target is denied for the whole subject. Otherwise it is denied in this cluster alone. */
  denies: 'Cluster' | 'Operator';
  /** Returns of clusters that are Done honour Deny windows; the others undo a change that failed. */
  honoursWindows: boolean;
  /** The reason why it cannot roll back. Set after an attempt. */
  blocked?: string;
}>;

/** A rollout's decision for one cluster, and its progress. */
export type RolloutRow = Readonly<{
  cluster: string;
  /** The cluster's place in the order inside a wave. */
  order: string;
  wave: number;
  /** True if it has started or was skipped: it stays in its wave. */
  keepsWave: boolean;
  /** The generation of its cluster when the wave was chosen. */
  placedAt: number;
  /** The identity of its cluster when the row began, or when that cluster answered first. */
  identity: number | undefined;
  phase: RowPhase;
  reason: string;
  message: string;
  class: string | null;
  attempt: number;
  /** The hop that runs or ran last, from 1. */
  hop: number;
  /** A hop runs: a rollout that stops waits for its end. */
  isRunning: boolean;
  /** The end of the attempt's deadline, while nothing holds it. */
  deadlineAt: number | undefined;
  /** The time since when the deadline does not run. */
  heldSince: number | undefined;
  doneAt: number | undefined;
  /** True if it counts among the failures of its wave. */
  isFailure: boolean;
  /** True after a Retry: the next attempt goes through Verifying, even if the target is installed. */
  isRetry: boolean;
  goBack: GoBack | undefined;
  gates: Readonly<Record<string, GateProgress>>;
  /** The time of the first questions to gates in this attempt. */
  gatesSince: number | undefined;
}>;

export const newRow = (
  cluster: string,
  order: string,
  wave: number,
  member: Pick<Member, 'generation' | 'identity'>,
): RolloutRow => ({
  cluster,
  order,
  wave,
  keepsWave: false,
  placedAt: member.generation,
  identity: member.identity,
  phase: 'Waiting',
  reason: 'Planning',
  message: '',
  class: null,
  attempt: 0,
  hop: 0,
  isRunning: false,
  deadlineAt: undefined,
  heldSince: undefined,
  doneAt: undefined,
  isFailure: false,
  isRetry: false,
  goBack: undefined,
  gates: {},
  gatesSince: undefined,
});

export const isInFlight = ({ phase }: RolloutRow): boolean => phase === 'Applying' || phase === 'Verifying';
/** True if a cluster is kept between two hops. It takes its place, and nothing happens there. */
export const isBetweenHops = (row: RolloutRow): boolean => row.phase === 'Applying' && !row.isRunning;
/**
 * True if it rolls back, has rolled back, or was to. All returns are one class, independent of the class of
 * the change.
 */
export const isOfReturns = ({ goBack, phase }: RolloutRow): boolean => goBack !== undefined || phase === 'RolledBack';
/** Chosen to go back, and neither on its way nor at an end. */
export const isReturnDue = ({ goBack, phase }: RolloutRow): boolean =>
  goBack !== undefined && goBack.blocked === undefined && phase !== 'RollingBack' && phase !== 'RolledBack';
/** The rollout has brought its target to the cluster. */
export const hasBrought = ({ attempt, phase, reason }: RolloutRow): boolean =>
  attempt > 0 && phase === 'Done' && reason !== 'UpToDate';
/**
 * True if the rollout has changed the cluster, or may have. A cluster that was ahead of an attempt has the
 * bundle that its own users chose.
 */
export const isChanged = (row: RolloutRow): boolean =>
  hasBrought(row) || (row.attempt > 0 && (row.phase === 'Failed' || isInFlight(row)));

/** True if the cluster changes, or is checked, by order of the rollout. */
export const isMoving = (row: RolloutRow | undefined): boolean =>
  row !== undefined && (isInFlight(row) || row.phase === 'RollingBack');

/** True if a cluster starts, continues with a hop, or goes back. A rebuilt row has its order already. */
export function begins(before: RolloutRow | undefined, after: RolloutRow): boolean {
  if (after.phase === 'RollingBack') return before?.phase !== 'RollingBack';
  if (after.reason === 'Rebuilt') return false;
  return after.phase === 'Applying' && (before?.attempt !== after.attempt || before.hop !== after.hop);
}
