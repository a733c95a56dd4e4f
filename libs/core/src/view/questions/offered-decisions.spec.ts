import { describe, expect, it } from 'vitest';
import { type DecidedRollout, offeredDecisions } from './offered-decisions.js';

const wave = { name: 'lab', phase: 'Open', code: 'Opened', done: 3, underWay: 1, failed: 0 };
const rollout = (more: Partial<DecidedRollout> = {}): DecidedRollout => ({
  ...{ phase: 'Progressing', code: 'Planned', finishedAt: '', newest: true, changed: 4, classes: [], waves: [wave] },
  ...more,
});
const offered = (more: Partial<DecidedRollout>) => offeredDecisions(rollout(more)).map(({ action }) => action);
const FAILED = { waves: [{ ...wave, failed: 1 }] };

describe('the decisions that a rollout takes', () => {
  it.each<[string, Partial<DecidedRollout>, readonly string[]]>([
    ['in progress', {}, ['Pause', 'Abort', 'Rollback']],
    ['that nothing has changed yet', { changed: 0 }, ['Pause', 'Abort']],
    ['with failures', FAILED, ['Retry', 'Pause', 'Abort', 'Rollback']],
    ['that is queued', { phase: 'Planning', code: 'Queued', changed: 0 }, ['Abort']],
    ['that is being aborted', { code: 'Aborting' }, ['Abort', 'Rollback']],
    ['paused by a decision', { phase: 'Paused', code: 'Decision' }, ['Resume', 'Abort', 'Rollback']],
    ['whose operator is paused', { phase: 'Paused', code: 'SubjectPaused' }, ['Abort', 'Rollback']],
    ['halted', { phase: 'Halted', code: 'ThresholdExceeded', ...FAILED }, ['Retry', 'Resume', 'Abort', 'Rollback']],
    ['with an incomplete rollback', { phase: 'Halted', code: 'RollbackIncomplete', ...FAILED }, ['Abort', 'Rollback']],
    ['on its way back', { phase: 'RollingBack', code: 'Decision', ...FAILED }, []],
    ['completed', { phase: 'Completed', code: 'AllWavesComplete' }, ['Rollback']],
    ['aborted', { phase: 'Aborted', code: 'Decision' }, ['Retry', 'Rollback']],
    ['rolled back', { phase: 'RolledBack', code: 'AllRolledBack', changed: 0 }, ['Retry']],
    ['of which one wave was rolled back', { phase: 'RolledBack', code: 'WaveRolledBack' }, ['Retry', 'Rollback']],
    ['with a successor, aborted', { phase: 'Aborted', code: 'Decision', newest: false }, []],
    ['with a successor, completed', { phase: 'Completed', newest: false, ...FAILED }, []],
    ['superseded', { phase: 'Superseded', code: 'NewerTarget', newest: false }, []],
    ['whose strategy denies returns', { returnsDenied: true }, ['Pause', 'Abort']],
    ['whose target was withdrawn', { withdrawn: true, ...FAILED }, ['Abort', 'Rollback']],
  ])('%s', (_, more, actions) => {
    expect(offered(more)).toEqual(actions);
  });

  const classes = [{ hash: '3f9c', clusters: 8 }];
  it('has no plans of a version that was rolled back up for approval', () => {
    expect(offered({ classes })).toContain('Approve');
    for (const phase of ['RolledBack', 'Aborted', 'Completed', 'RollingBack']) {
      expect(offered({ phase, code: '', classes })).not.toContain('Approve');
    }
    expect(offered({ phase: 'RollingBack', classes: [{ hash: 'rollback' }] })).toEqual(['Approve']);
  });

  it.each([
    ['AwaitingPromotion', 'Manual', true],
    ['Soaking', 'GateAfter', true],
    ['Open', 'NotEnoughSuccesses', true],
    ['Open', 'Opened', false],
    ['Pending', 'GateBefore', false],
  ])('promotes a wave that is %s (%s): %s', (phase, code, wanted) => {
    expect(offered({ waves: [{ ...wave, phase, code }] }).includes('Promote')).toBe(wanted);
  });
});
