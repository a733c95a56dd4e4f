import type { GateSpec } from '../../../kernel/api/fleet/fleet-strategy.js';
import { durationMs, thresholdOf } from '../../placement/waves.js';
import type { Draft } from './draft.js';
import { afterAnswer, dueAt, type GateProgress, isDue, nextDueAt } from './gate-progress.js';
import type { StopReason } from './phases.js';
import type { WaveStatus } from './rollout-state.js';
import type { WaveTally } from './tally.js';

/** Asks the gates of waves that are due: before a wave opens, and while it soaks. */
export function askWaveGates(draft: Draft): void {
  for (const index of draft.spec.waves.keys()) {
    const { phase, reason } = draft.wave(index);
    if (phase === 'Pending' && reason === 'GateBefore') askGates(index, 'Before', draft);
    if (phase === 'Soaking') askGates(index, 'After', draft);
  }
}

const waveGates = (index: number, when: GateSpec['when'], draft: Draft): readonly GateSpec[] =>
  draft.rules(index).gates.filter((gate) => gate.scope === 'Wave' && gate.when === when);

function askGates(index: number, when: GateSpec['when'], draft: Draft): void {
  let { gates } = draft.wave(index);
  for (const gate of waveGates(index, when, draft)) {
    const before = gates[gate.name];
    if (!isOpenGate(before, when) || !isDue(before, gate, draft.now)) continue;
    // A question at the end of its time would be answered later.
    if (when === 'After' && draft.now >= gateEnd(index, gate, draft)) continue;
    const answer = draft.facts.gateAnswer(gate.name, null, index, 0);
    if (answer === undefined) continue;
    gates = { ...gates, [gate.name]: afterAnswer(before, gate, answer, draft.now) };
  }
  if (gates !== draft.wave(index).gates) draft.setWave(index, { gates });
}

const areGreen = (index: number, when: GateSpec['when'], draft: Draft): boolean =>
  waveGates(index, when, draft).every(({ name }) => draft.wave(index).gates[name]?.state === 'Green');

/** Returns the end of a wave's soak: counted from its last success, without one from its opening. */
export const soakEnd = (
  wave: Pick<WaveStatus, 'openedAt' | 'isPromoted' | 'lastSuccessAt'>,
  tally: Pick<WaveTally, 'lastSuccessAt'>,
  soak: string,
): number =>
  wave.isPromoted ? Number.NEGATIVE_INFINITY : (lastSuccess(wave, tally) ?? wave.openedAt ?? 0) + durationMs(soak);

/** The last success in a wave, also of a cluster that has left since. */
export function lastSuccess(
  { lastSuccessAt = Number.NEGATIVE_INFINITY }: Pick<WaveStatus, 'lastSuccessAt'>,
  tally: Pick<WaveTally, 'lastSuccessAt'>,
): number | undefined {
  const last = Math.max(lastSuccessAt, tally.lastSuccessAt ?? Number.NEGATIVE_INFINITY);
  return Number.isFinite(last) ? last : undefined;
}

export function soakUntil(index: number, draft: Draft): number {
  const { openedAt = draft.now, isPromoted, lastSuccessAt } = draft.wave(index);
  return soakEnd({ openedAt, isPromoted, lastSuccessAt }, draft.tally(index), draft.rules(index).soak);
}

/** Returns the end of the time that a gate of a soaking wave has. */
const gateEnd = (index: number, { timeout }: GateSpec, draft: Draft): number =>
  Math.max(soakUntil(index, draft), draft.wave(index).gatesFrom ?? draft.now) + durationMs(timeout);

/** Returns the reason why a wave stops its rollout, or undefined. */
export function stopReasonOf(index: number, draft: Draft): StopReason | undefined {
  const { phase, gates } = draft.wave(index);
  if (phase === 'Pending' || phase === 'AwaitingPromotion' || phase === 'RolledBack') return undefined;
  if (isOverThreshold(index, draft)) return 'ThresholdExceeded';
  if (phase !== 'Soaking') return undefined;
  const specs = waveGates(index, 'After', draft);
  if (specs.some(({ name }) => gates[name]?.state === 'Red')) return 'GateRed';
  const isLate = specs.some((gate) => gates[gate.name]?.state !== 'Green' && draft.now >= gateEnd(index, gate, draft));
  return isLate ? 'GateTimeout' : undefined;
}

export function isOverThreshold(index: number, draft: Draft): boolean {
  const tally = draft.tally(index);
  return tally.failures > thresholdOf(draft.rules(index).failureThreshold, tally.targets);
}

/** Moves each wave at most once, the first first: one that becomes Complete lets the next begin. */
export function moveWaves(draft: Draft, mayOpen: boolean): void {
  for (const index of draft.spec.waves.keys()) {
    const isItsTurn = draft.status.waves.slice(0, index).every(({ phase }) => phase === 'Complete');
    const { phase } = draft.wave(index);
    const hasBegun = phase === 'AwaitingPromotion' || phase === 'Open' || phase === 'Soaking';
    if (phase === 'Pending' && isItsTurn && mayOpen) beginWave(index, draft);
    else if (hasBegun && draft.tally(index).targets === 0) completeEmpty(index, draft);
    else if (phase === 'Open' || phase === 'Soaking') settleWave(index, draft);
    else if (phase === 'RollingBack') endReturn(index, draft);
  }
}

/** Completes a wave without members at once, even if its members have left. */
const completeEmpty = (index: number, draft: Draft): void =>
  draft.setWave(index, { phase: 'Complete', reason: 'Empty', completedAt: draft.now });

function beginWave(index: number, draft: Draft): void {
  if (draft.tally(index).targets === 0) completeEmpty(index, draft);
  else if (!areGreen(index, 'Before', draft)) draft.setWave(index, { reason: 'GateBefore' });
  else if (draft.rules(index).promotion === 'Manual') {
    draft.setWave(index, { phase: 'AwaitingPromotion', reason: 'Manual' });
  } else openWave(index, draft, 'Opened');
}

export const openWave = (index: number, draft: Draft, reason: 'Opened' | 'Promoted'): void =>
  draft.setWave(index, { phase: 'Open', reason, openedAt: draft.now });

const isSettled = (index: number, draft: Draft): boolean => {
  const { waiting, inFlight, rollingBack, returnsDue } = draft.tally(index);
  return waiting === 0 && inFlight === 0 && rollingBack === 0 && returnsDue === 0 && !isOverThreshold(index, draft);
};

/** Completes a wave, or sets the reason that holds it: missing successes, the soak, gates. */
function settleWave(index: number, draft: Draft): void {
  const { phase, reason, isPromoted } = draft.wave(index);
  if (!isSettled(index, draft)) {
    // A later member takes the wave back to its work. A soaking wave keeps soaking.
    if (reason === 'NotEnoughSuccesses') draft.setWave(index, { reason: phase === 'Open' ? 'Opened' : 'Soak' });
    return;
  }
  const { done, targets } = draft.tally(index);
  if (isPromoted || done >= Math.min(draft.rules(index).requireSuccesses, targets)) soakOrComplete(index, draft);
  // One that was lost during the soak holds the wave there, until a Promote or a Retry.
  else draft.setWave(index, { reason: 'NotEnoughSuccesses' });
}

function soakOrComplete(index: number, draft: Draft): void {
  const { phase, isPromoted, gatesFrom } = draft.wave(index);
  const isSoaked = draft.now >= soakUntil(index, draft);
  // Gates are asked while the wave soaks, also for no time at all.
  const mustSoak = phase !== 'Soaking' && waveGates(index, 'After', draft).length > 0;
  if (isSoaked && !mustSoak && areGreen(index, 'After', draft)) {
    draft.setWave(index, { phase: 'Complete', reason: isPromoted ? 'Promoted' : 'Passed', completedAt: draft.now });
  } else {
    const reason = isSoaked ? 'GateAfter' : 'Soak';
    draft.setWave(index, { phase: 'Soaking', reason, gatesFrom: gatesFrom ?? draft.now });
  }
}

function endReturn(index: number, draft: Draft): void {
  const { rollingBack, returnsDue, running, stuck } = draft.tally(index);
  const isOver = rollingBack === 0 && returnsDue === 0 && running === 0 && stuck === 0;
  if (isOver) draft.setWave(index, { phase: 'RolledBack', reason: 'Returned' });
}

/** Returns the next instants at which a wave can move by the clock alone. */
export function waveWakes(index: number, draft: Draft): number[] {
  const { phase, reason, gates } = draft.wave(index);
  const dues = (when: GateSpec['when']): number[] =>
    waveGates(index, when, draft)
      .filter(({ name }) => isOpenGate(gates[name], when))
      .map((gate) => {
        const progress = gates[gate.name];
        return when === 'After' ? nextDueAt(progress, gate, draft.now) : dueAt(progress, gate.interval);
      });
  if (phase === 'Pending' && reason === 'GateBefore') return dues('Before');
  if (phase !== 'Soaking') return [];
  const ends = waveGates(index, 'After', draft).map((gate) => gateEnd(index, gate, draft));
  return [soakUntil(index, draft), ...dues('After'), ...ends];
}

/** Red ends the questions after a change; before it, a gate is asked until it is Green. */
const isOpenGate = (progress: GateProgress | undefined, when: GateSpec['when']): boolean =>
  progress?.state !== 'Green' && (when === 'Before' || progress?.state !== 'Red');
