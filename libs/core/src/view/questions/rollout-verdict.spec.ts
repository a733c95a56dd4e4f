import { describe, expect, it } from 'vitest';
import { rolloutVerdict } from './rollout-verdict.js';

type Judged = Parameters<typeof rolloutVerdict>[0];
type Wave = Judged['waves'][number];

const wave = (more: Partial<Wave> = {}): Wave => ({
  ...{ name: 'canary', phase: 'Open', code: 'Opened', members: 14, done: 5, underWay: 2, waiting: 7, failed: 0 },
  ...{ gates: [], ...more },
});
const rollout = (more: Partial<Judged> = {}): Judged => ({
  ...{ phase: 'Progressing', code: 'Planned', target: 'harbor.v2', classes: [], failures: [], waves: [wave()] },
  ...more,
});
const failures = [{ examples: ['eu-07', 'eu-11'] }];
const red: Wave['gates'][number] = {
  ...{ name: 'errors', when: 'After', scope: 'Wave', check: 'prometheus', limit: '', interval: '30s', times: 3 },
  ...{ green: 0, red: 1, unknown: 0, askedAt: '', sample: [] },
};
const paused = {
  ...{ at: '2026-11-26T10:00:00Z', by: 'jane', action: 'Pause', about: '', reason: 'CHG-7', outcome: 'effective' },
};

describe('the verdict about a rollout', () => {
  it('names what failed, the budget, and what to fix, when it stopped', () => {
    const waves = [wave({ failed: 2, accepted: 1 })];
    expect(rolloutVerdict(rollout({ phase: 'Halted', code: 'ThresholdExceeded', waves, failures }))).toEqual({
      ...{ standing: 'failed', state: 'Stopped' },
      why: '2 of 14 clusters failed in wave canary, budget 1.',
      next: 'Fix eu-07, eu-11, then retry, or roll back.',
    });
  });

  it.each<[string, Partial<Judged>, string, RegExp]>([
    [
      'a red gate',
      { phase: 'Halted', code: 'GateRed', waves: [wave({ gates: [red] })] },
      'failed',
      /errors of wave canary/,
    ],
    [
      'a rollback that is not complete',
      { phase: 'Halted', code: 'RollbackIncomplete' },
      'failed',
      /not be rolled back/,
    ],
    [
      'a pause, with its author',
      { phase: 'Paused', code: 'Decision', decisions: [paused] },
      'blocked',
      /by jane \(CHG-7\)/,
    ],
    ['a paused operator', { phase: 'Paused', code: 'SubjectPaused' }, 'blocked', /operator or catalog is paused/],
    [
      'a missing approval',
      { classes: [{ hash: 'a', clusters: 88 }] },
      'needs-approval',
      /1 plan class for 88 clusters/,
    ],
    ['a missing promotion', { waves: [wave({ phase: 'AwaitingPromotion' })] }, 'needs-approval', /opens by a decision/],
    [
      'a failure within budget',
      { waves: [wave({ failed: 1, accepted: 2 })] },
      'blocked',
      /1 cluster failed, within budget/,
    ],
    ['progress', {}, 'under-way', /^5 of 14 clusters done, 2 in progress\.$/],
    [
      'one of several waves',
      { waves: [wave(), wave({ name: 'rest' })] },
      'under-way',
      /done in wave 1 of 2 \(canary\)/,
    ],
    [
      'its end',
      { phase: 'Completed', waves: [wave({ phase: 'Complete', done: 14 })] },
      'well',
      /^14 of 14 clusters have harbor\.v2\.$/,
    ],
    ['a rollback', { phase: 'RolledBack', code: 'AllRolledBack' }, 'failed', /not rolled out again/],
    ['an unknown phase', { phase: 'Later' }, 'under-way', /5 of 14/],
  ])('says %s', (_, more, standing, why) => {
    const verdict = rolloutVerdict(rollout(more));
    expect(verdict.standing).toBe(standing);
    expect(verdict.why).toMatch(why);
  });

  it('never offers to resume a rollback that is not complete', () => {
    const { next } = rolloutVerdict(rollout({ phase: 'Halted', code: 'RollbackIncomplete', failures }));
    expect(next).toBe('Fix eu-07, eu-11, then roll back again, or abort.');
  });
});
