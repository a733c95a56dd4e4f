import type { Member } from './facts.js';
import type { GateProgress } from './gate-progress.js';
import type { RowPhase } from './phases.js';

type ReturnReason = 'OnFailure' | 'ClusterFailure' | 'Decision';

/** A cluster that was chosen to go back to what it had. */
export type GoBack = Readonly<{
  reason: ReturnReason;
  /** `Operator`: the target is denied for the whole subject, else in this cluster alone. */
  denies: 'Cluster' | 'Operator';
  /** Returns of clusters that are Done honour Deny windows; the others undo a change that failed. */
  honoursWindows: boolean;
  /** Why it cannot go back; set once it was tried. */
  blocked?: string;
}>;

/** What a roll-out decided for one cluster, and how far that has come. */
export type RolloutRow = Readonly<{
  cluster: string;
  /** Its place in the order inside a wave. */
  order: string;
  wave: number;
  /** It has started or was skipped: it stays in its wave. */
  keepsWave: boolean;
  /** The generation of its cluster by which the wave was chosen. */
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
  /** A hop runs: a roll-out that stops waits for its end. */
  isRunning: boolean;
  /** When the deadline of the attempt ends, while nothing holds it. */
  deadlineAt: number | undefined;
  /** Since when the deadline does not run. */
  heldSince: number | undefined;
  doneAt: number | undefined;
  /** It counts among the failures of its wave. */
  isFailure: boolean;
  /** A Retry: the next attempt goes through Verifying, also where the target is installed. */
  isRetry: boolean;
  goBack: GoBack | undefined;
  gates: Readonly<Record<string, GateProgress>>;
  /** When gates were first asked in this attempt. */
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
/** A cluster kept between two hops: it takes its place, and nothing happens there. */
export const isBetweenHops = (row: RolloutRow): boolean => row.phase === 'Applying' && !row.isRunning;
/** It goes back, has, or was to: all returns are one class, whatever class its change was of. */
export const isOfReturns = ({ goBack, phase }: RolloutRow): boolean => goBack !== undefined || phase === 'RolledBack';
/** Chosen to go back, and neither on its way nor at an end. */
export const isReturnDue = ({ goBack, phase }: RolloutRow): boolean =>
  goBack !== undefined && goBack.blocked === undefined && phase !== 'RollingBack' && phase !== 'RolledBack';
/** The roll-out has brought its target to the cluster. */
export const hasBrought = ({ attempt, phase, reason }: RolloutRow): boolean =>
  attempt > 0 && phase === 'Done' && reason !== 'UpToDate';
/**
 * The roll-out has changed something in the cluster, or may have. A cluster that went ahead of an attempt has
 * what its own users chose.
 */
export const isChanged = (row: RolloutRow): boolean =>
  hasBrought(row) || (row.attempt > 0 && (row.phase === 'Failed' || isInFlight(row)));
