import { describe, expect, it } from 'vitest';
import type { RolloutStatus } from '../controller/step/rollout-state.js';
import { decisionEvent, phaseEvent, waveEvents } from './rollout-events.js';

const status = (phase: string, reason: string, waves: readonly (readonly [string, string])[] = []) =>
  ({ phase, reason, waves: waves.map(([name, why]) => ({ phase: name, reason: why })) }) as unknown as RolloutStatus;

describe('the Events of a rollout', () => {
  it('are its phases, each once', () => {
    const planned = status('Progressing', 'Planned');
    expect(phaseEvent('k-1', undefined, status('Planning', 'Released'))).toEqual({
      ...{ type: 'Normal', reason: 'Planning', message: 'rollout k-1 is Planning: Released' },
    });
    expect(phaseEvent('k-1', planned, status('Progressing', 'Resumed'))).toBeUndefined();
    expect(phaseEvent('k-1', planned, status('Halted', 'GateRed'))?.type).toBe('Warning');
  });

  it('are the phases of its waves', () => {
    const before = status('Progressing', 'Planned', [
      ['Open', 'Opened'],
      ['Pending', 'NotItsTurn'],
    ]);
    const after = status('Progressing', 'Planned', [
      ['Complete', 'Passed'],
      ['Pending', 'GateBefore'],
    ]);
    expect(waveEvents(before, after, ['lab', 'rest'])).toEqual([
      { type: 'Normal', reason: 'WaveComplete', message: 'wave lab is Complete: Passed' },
    ]);
    expect(waveEvents(undefined, before, ['lab', 'rest']).map(({ reason }) => reason)).toEqual(['WaveOpen']);
  });

  it('are its decisions, with the author and what became of them', () => {
    const decision = {
      rollout: 'k-1',
      action: 'Promote',
      wave: 'lab',
      by: { user: 'anna', groups: [] },
      reason: 'CHG',
    };
    const said = (outcome: Parameters<typeof decisionEvent>[1]) =>
      decisionEvent(decision as unknown as Parameters<typeof decisionEvent>[0], outcome);
    expect(said({ reason: 'Effective' })).toEqual({
      type: 'Normal',
      reason: 'Promote',
      message: 'Promote of wave lab by anna: CHG',
    });
    expect(said({ reason: 'NotAllowed' })).toMatchObject({
      ...{ type: 'Warning', message: 'Promote of wave lab by anna, without effect (NotAllowed): CHG' },
    });
    expect(said({ reason: 'NotApplicable', message: 'k.v2 was withdrawn' })).toMatchObject({
      message: 'Promote of wave lab by anna, without effect (NotApplicable: k.v2 was withdrawn): CHG',
    });
  });
});
