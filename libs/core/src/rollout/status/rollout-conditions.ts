import { type FoundCondition } from '../../kernel/conditions/condition-list.js';
import { counted } from '../../kernel/text/counted.js';
import { isFinal, WAITING_REASONS } from '../controller/step/phases.js';
import { ROLLBACK_CLASS } from '../controller/step/returns.js';
import type { RolloutView } from '../controller/step/rollout-state.js';
import type { RolloutRow } from '../controller/step/row.js';
import { sumOf, WaveTally } from '../controller/step/tally.js';
import { soakEnd } from '../controller/step/wave-moves.js';
import { durationMs, thresholdOf } from '../placement/waves.js';
import { deniesReturns } from '../review/class-approval.js';

type SeenRollout = Pick<RolloutView, 'spec' | 'status' | 'tallies'>;
type Waits = readonly (readonly [reason: string, clusters: number])[];

/** Returns the first wave that is not complete. If all are, returns the last one with members. */
export function currentWave({ spec, status, tallies }: SeenRollout): { at: number; name: string } | undefined {
  const open = status.waves.findIndex(({ phase }) => phase !== 'Complete');
  const last = tallies.findLastIndex(({ targets }) => targets > 0);
  const at = open >= 0 ? open : Math.max(0, last);
  const name = spec.waves[at]?.name;
  return name === undefined ? undefined : { at, name };
}

/**
 * The conditions of a FleetRollout (design: fleet.md §1.7; why: fleet-rollouts.md "Statuses of a rollout").
 * `rows`: those of targets.
 */
export function rolloutConditions(
  rollout: SeenRollout,
  { rows, movedAt, now }: Readonly<{ rows: readonly RolloutRow[]; movedAt: number; now: number }>,
): FoundCondition[] {
  const waits = waitsOf(rollout, rows);
  const moving = progressing(rollout, waits);
  return [moving, stalled(rollout, moving, movedAt, now), degraded(rollout)];
}

/**
 * Returns the reasons that clusters wait for, the most common first. If any cluster of the current wave
 * waits, only that wave counts.
 */
function waitsOf(rollout: SeenRollout, rows: readonly RolloutRow[]): Waits {
  const waiting = rows.filter(({ phase }) => phase === 'Waiting');
  const at = currentWave(rollout)?.at;
  const inWave = waiting.filter(({ wave }) => wave === at);
  const groups = Map.groupBy(inWave.length > 0 ? inWave : waiting, ({ reason }) => reason);
  const rank = (reason: string) => (WAITING_REASONS as readonly string[]).indexOf(reason);
  return [...groups]
    .map(([reason, own]) => [reason, own.length] as const)
    .sort(([a, m], [b, n]) => n - m || rank(a) - rank(b));
}

const LOST_SUCCESS = 'a success was lost during the soak; a Promote or a Retry decision ends this';
const lostIn = ({ phase }: Readonly<{ phase: string }>): string => (phase === 'Soaking' ? LOST_SUCCESS : '');
/** Advises how to resume a rollout that a gate stopped, once the gate is green. */
export const GREEN_AGAIN = 'its gates are green now; a Resume decision continues it';

/** True if a gate's timeout stopped a rollout and the gate is green since: its wave is complete. */
export const isGreenAgain = ({
  phase,
  reason,
  waves,
}: Readonly<{ phase: string; reason: string; waves: readonly Readonly<{ phase: string }>[] }>): boolean =>
  phase === 'Halted' && reason === 'GateTimeout' && waves.every((wave) => wave.phase !== 'Soaking');

/** Advises how to end a halted rollout that stays as it is, if no newer version comes. */
export const HALT_ENDS = 'ends it as it is; otherwise it ends with the next version';

/** Names the actions that resume or end a halted rollout. No clock does. */
function haltText({ status, spec }: Pick<SeenRollout, 'status' | 'spec'>): string {
  if (status.phase !== 'Halted') return '';
  const abort = `an Abort decision ${HALT_ENDS}`;
  const back = deniesReturns(spec.strategy.approval) ? '' : 'a Rollback decision rolls its clusters back; ';
  if (status.reason === 'RollbackIncomplete') {
    return back === '' ? abort : `a Rollback decision tries again to roll the others back; ${abort}`;
  }
  const goesOn = isGreenAgain(status) ? GREEN_AGAIN : 'a Resume or Retry decision continues it';
  return `${goesOn}; ${back}${abort}`;
}

function progressing(rollout: SeenRollout, waits: Waits): FoundCondition {
  const { status, spec, tallies } = rollout;
  const is = (status: 'True' | 'False', reason: string, message: string): FoundCondition => ({
    ...{ type: 'Progressing', status, reason, message },
  });
  if (isFinal(status.phase)) return is('False', status.phase, status.reason);
  const current = currentWave(rollout);
  const place = current === undefined ? '' : `wave ${current.at + 1} of ${spec.waves.length} (${current.name})`;
  const waiting = waits.map(([reason, clusters]) => `${clusters} ${reason}`).join(', ');
  const says = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(': ');
  if (status.phase === 'Paused' || status.phase === 'Halted') {
    return is('False', status.phase, says(place, status.reason, haltText(rollout)));
  }
  const { applying, verifying, rollingBack, returnsDue } = sumOf(tallies);
  const underWay = applying + verifying + rollingBack;
  if (underWay > 0) return is('True', 'Advancing', says(place, `${counted(underWay, 'cluster')} under way`, waiting));
  const returns = classOfReturns(rollout)?.state.phase;
  if (status.phase === 'RollingBack' && returnsDue > 0 && (returns === 'Waiting' || returns === 'Rejected')) {
    const why = `class ${ROLLBACK_CLASS} is not approved: ${counted(returnsDue, 'cluster')} to go back`;
    return is('False', returns === 'Waiting' ? 'Approval' : 'Rejected', why);
  }
  const wave = current && status.waves[current.at];
  if (wave?.reason === 'NotEnoughSuccesses') return is('False', wave.reason, says(place, lostIn(wave), waiting));
  if (wave?.phase === 'Soaking') return is('False', 'Soaking', says(place, wave.reason));
  const [first] = waits;
  if (first === undefined) return is('True', 'Advancing', place);
  const why = wave?.phase === 'AwaitingPromotion' ? 'waits for a Promote decision' : '';
  return is('False', first[0], says(place, why, waiting));
}

/** Reasons of waiting for the end of a window, or for a user who lifts it. */
const HELD_BY_WINDOWS: ReadonlySet<string> = new Set(['Window', 'Frozen']);

/**
 * Returns the time at which a rollout without progress is stalled: after the longest deadline, if no clock of
 * its own runs. A paused or halted rollout waits for a decision, and its condition says so.
 */
function stallsAt({ spec, status, tallies }: SeenRollout, reason: string, movedAt: number): number | undefined {
  if (isFinal(status.phase) || status.phase === 'Paused' || status.phase === 'Halted') return undefined;
  if (HELD_BY_WINDOWS.has(reason)) return undefined;
  const soaks = spec.waves.flatMap((wave, at) => {
    const state = status.waves[at];
    return state?.phase === 'Soaking' ? [soakEnd(state, tallies[at] ?? new WaveTally(), wave.spec.soak)] : [];
  });
  return Math.max(movedAt, ...soaks) + longestDeadline(spec);
}

const longestDeadline = ({ waves }: Pick<SeenRollout['spec'], 'waves'>): number =>
  Math.max(...waves.map(({ spec }) => durationMs(spec.progressDeadline)));

function stalled(rollout: SeenRollout, moving: FoundCondition, movedAt: number, now: number): FoundCondition {
  const at = stallsAt(rollout, moving.reason, movedAt);
  if (at === undefined || now < at) return { type: 'Stalled', status: 'False', reason: 'NotStalled', message: '' };
  const since = new Date(movedAt).toISOString();
  const message = `nothing has moved since ${since}; ${moving.message}`;
  return { type: 'Stalled', status: 'True', reason: 'NothingMoved', message };
}

/**
 * Returns the time at which the condition Stalled of a stored status is due again. Undefined: only after a
 * change.
 */
export function nextStallAt(
  rollout: SeenRollout,
  {
    movedAt,
    conditions = [],
  }: Readonly<{
    movedAt?: string | undefined;
    conditions?: readonly FoundCondition[] | undefined;
  }>,
): number | undefined {
  const of = (type: string) => conditions.find((one) => one.type === type);
  if (movedAt === undefined || of('Stalled')?.status === 'True') return undefined;
  return stallsAt(rollout, of('Progressing')?.reason ?? '', Date.parse(movedAt));
}

const STOPS: ReadonlySet<string> = new Set(['ThresholdExceeded', 'GateRed', 'GateTimeout', 'RollbackIncomplete']);

function degraded(rollout: SeenRollout): FoundCondition {
  const { status, tallies } = rollout;
  const is = (status: 'True' | 'False', reason: string, message = ''): FoundCondition => ({
    ...{ type: 'Degraded', status, reason, message },
  });
  const stop = status.stop ?? (isFinal(status.phase) ? '' : status.reason);
  if (STOPS.has(stop)) return is('True', stop, [...overThreshold(rollout), ...deniedReturns(rollout)].join('; '));
  if (status.phase === 'RolledBack') return is('True', 'RolledBack', status.reason);
  const { failed } = sumOf(tallies);
  return failed === 0 ? is('False', 'NoneFailed') : is('True', 'ClustersFailed', counted(failed, 'cluster'));
}

const classOfReturns = ({ status }: SeenRollout) => status.classes.find(({ name }) => name === ROLLBACK_CLASS);

/** Says that a rule denies returns, if some clusters have therefore not rolled back. */
const deniedReturns = (rollout: SeenRollout): string[] =>
  classOfReturns(rollout)?.state.phase === 'Denied'
    ? [`a rule of the strategy denies Rollback: ${counted(sumOf(rollout.tallies).stuck, 'cluster')} did not go back`]
    : [];

/** The waves with more failures than they accept. */
function overThreshold({ spec, tallies }: SeenRollout): string[] {
  return spec.waves.flatMap(({ name, spec: rules }, at) => {
    const { failures = 0, targets = 0 } = tallies[at] ?? {};
    const accepted = thresholdOf(rules.failureThreshold, targets);
    return failures > accepted ? [`wave ${name}: ${counted(failures, 'failure')}, ${accepted} accepted`] : [];
  });
}
