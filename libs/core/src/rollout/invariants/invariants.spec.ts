import { describe, expect, it } from 'vitest';
import type { FleetEvent } from '../controller/record/event-log.js';
import { InvariantCheck } from './invariants.js';
import type { OfflineRules } from './offline-check.js';

const offline: OfflineRules = { offline: 'Skip', offlineGrace: 300 };
const wave = { failureThreshold: 0, soak: 60_000, requireSuccesses: 1, maxConcurrent: 1 };
const rules = {
  subject: 'FleetOperator/n/a',
  place: 'namespace a',
  rollbackConcurrency: 1,
  chosen: () => 2,
  returnBlocked: undefined,
  waves: new Map([
    ['one', { ...wave, ...offline }],
    ['two', { ...wave, ...offline }],
    ['patient', { ...wave, ...offline, offline: 'Wait' as OfflineRules['offline'] }],
  ]),
};

const event = (given: Partial<FleetEvent>): FleetEvent => ({
  ...{ type: 'event', seq: 1, t: 0, time: '', kind: 'cluster', rollout: 'n/a-1', subject: 'FleetOperator/n/a' },
  ...{ wave: 'one', cluster: 'c', class: null, attempt: 0, hop: 0, bundle: 'b', from: null, phase: '' },
  ...{ reason: '', message: '', by: null, inFlight: 0, limit: 1, counts: null },
  ...given,
});
const waits = event({ phase: 'Waiting', reason: 'Planning' });
const starts = event({ from: 'Waiting', phase: 'Applying', reason: 'Started', inFlight: 1, attempt: 1 });
const opens = event({ kind: 'wave', phase: 'Open', reason: 'Opened' });
const fails = event({ from: 'Applying', phase: 'Failed', reason: 'ApplyFailed' });
const verifies = event({ from: 'Applying', phase: 'Verifying', reason: 'Applied', inFlight: 1 });
const done = event({ from: 'Verifying', phase: 'Done', reason: 'Healthy' });
const completes = event({ kind: 'wave', phase: 'Complete', reason: 'Passed', t: 60 });
const other = (one: FleetEvent): FleetEvent => ({ ...one, cluster: 'd' });
const write = event({ kind: 'write', phase: 'Target' });
const decision = event({ kind: 'decision', phase: 'Pause', reason: 'Effective', by: 'anna', message: 'why' });

/** The invariants that break after these events. */
function broken(events: readonly FleetEvent[], isHeld = false): string[] {
  const check = new InvariantCheck({ rules: () => rules, isHeld: () => isHeld });
  for (const one of events) check.watch(one);
  return [...new Set(check.violations.map(({ id }) => id))];
}

describe('the invariants of an event log', () => {
  it('hold for a cluster that is brought to its target', () => {
    expect(broken([waits, opens, starts, write, verifies, done, completes])).toEqual([]);
  });

  it.each([
    {
      id: 'I1',
      events: [
        waits,
        {
          ...opens,
          counts: {
            targets: 1,
            waiting: 0,
            applying: 1,
            verifying: 0,
            done: 0,
            failed: 0,
            rollingBack: 0,
            rolledBack: 0,
            skipped: 0,
          },
        },
      ],
    },
    { id: 'I2', events: [{ ...waits, wave: 'none' }] },
    { id: 'I3', events: [waits, other(waits), opens, starts, { ...other(starts), inFlight: 2 }] },
    {
      id: 'I4',
      events: [
        { ...waits, wave: 'two' },
        { ...starts, wave: 'two' },
      ],
    },
    { id: 'I5', events: [waits, opens, { ...starts, class: 'major' }] },
    { id: 'I7', events: [waits, opens, starts, verifies, done, write] },
    { id: 'I8', events: [waits, write] },
    { id: 'I9', events: [waits, { ...done, from: 'Waiting' }] },
    { id: 'I10', events: [waits, other(waits), opens, starts, fails, other(starts)] },
    { id: 'I11', events: [waits, opens, starts, verifies, done, { ...completes, t: 59 }] },
    {
      id: 'I12',
      events: [
        event({ kind: 'world', phase: 'Offline' }),
        { ...waits, reason: 'Offline' },
        opens,
        { ...other(waits), t: 301 },
      ],
    },
    {
      id: 'I13',
      events: [event({ kind: 'rollout', phase: 'Progressing', rollout: 'n/a-2' }), waits, opens, starts],
    },
    { id: 'I20', events: [waits, opens, starts, { ...write, class: 'other' }] },
    { id: 'I20', events: [event({ kind: 'world', phase: 'Installed' })] },
    { id: 'I24', events: [{ ...waits, message: 'GET https://anna:secret@registry.example/' }] },
    { id: 'I21', events: [{ ...decision, by: null }] },
    { id: 'I22', events: [waits, opens, starts, event({ kind: 'world', phase: 'Paused' }), write] },
  ])('$id breaks', ({ id, events }) => {
    expect(broken(events)).toContain(id);
  });

  it('hold where a wave waits for a cluster that is away beside a wave that passes them over', () => {
    const away = event({ kind: 'world', phase: 'Offline' });
    const waiting = { ...waits, reason: 'Offline', wave: 'patient' };
    const patient = { ...opens, wave: 'patient', t: 1 };
    expect(broken([away, waiting, opens, patient, { ...other(waits), t: 301 }])).toEqual([]);
  });

  it('I6 breaks by a start that a window holds', () => {
    expect(broken([waits, opens, starts], true)).toEqual(['I6']);
  });
});
