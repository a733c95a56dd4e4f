import { describe, expect, it } from 'vitest';
import { clusterOperatorStatus, type OperatorCompatibility } from './cluster-operator-upgradeable.js';

const NOW = new Date('2026-11-21T08:00:00Z');
const BEFORE = '2026-01-01T00:00:00Z';
const blocked: OperatorCompatibility = { kind: 'incompatible', message: 'lamp blocks' };
const unknown: OperatorCompatibility = { kind: 'unknown', message: 'no version' };
const fine: OperatorCompatibility = { kind: 'compatible' };
const no = (reason: string, message = 'lamp blocks') => ({
  type: 'Upgradeable',
  status: 'False',
  reason,
  message,
  lastTransitionTime: BEFORE,
});
const yes = { type: 'Upgradeable', status: 'True', lastTransitionTime: BEFORE };
const other = { type: 'Available', status: 'True', lastTransitionTime: BEFORE };
const operator = (...conditions: unknown[]) => ({
  apiVersion: 'config.openshift.io/v1',
  kind: 'ClusterOperator',
  metadata: { name: 'operator-lifecycle-manager' },
  status: { versions: ['kept'], conditions },
});

describe('the condition Upgradeable of a ClusterOperator', () => {
  it.each<{ because: string; from: unknown[]; compatibility: OperatorCompatibility; to: unknown[] | undefined }>([
    {
      because: 'an operator blocks',
      from: [other],
      compatibility: blocked,
      to: [other, { ...no('IncompatibleOperatorsInstalled'), lastTransitionTime: '2026-11-21T08:00:00Z' }],
    },
    {
      because: 'none does any more',
      from: [no('IncompatibleOperatorsInstalled'), other],
      compatibility: fine,
      to: [{ ...yes, lastTransitionTime: '2026-11-21T08:00:00Z' }, other],
    },
    {
      because: 'other operators block: the time of the change stays',
      from: [no('IncompatibleOperatorsInstalled', 'moon blocks')],
      compatibility: blocked,
      to: [no('IncompatibleOperatorsInstalled')],
    },
    {
      because: 'it cannot be told: to be sure, no',
      from: [yes],
      compatibility: unknown,
      to: [{ ...no('ErrorCheckingOperatorCompatibility', 'no version'), lastTransitionTime: '2026-11-21T08:00:00Z' }],
    },
    {
      because: 'it says so already',
      from: [no('IncompatibleOperatorsInstalled')],
      compatibility: blocked,
      to: undefined,
    },
    { because: 'all is well, as before', from: [yes], compatibility: fine, to: undefined },
    {
      because: 'somebody else says no: that is not taken back',
      from: [no('Other')],
      compatibility: fine,
      to: undefined,
    },
    { because: 'nor put in other words', from: [no('Other')], compatibility: blocked, to: undefined },
  ])('$because', ({ from, compatibility, to }) => {
    const status = clusterOperatorStatus(operator(...from), compatibility, NOW);
    expect(status).toEqual(to === undefined ? undefined : { versions: ['kept'], conditions: to });
  });

  it('is made where there is no status yet', () => {
    const bare = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterOperator', metadata: { name: 'x' } };
    expect(clusterOperatorStatus(bare, fine, NOW)).toMatchObject({
      conditions: [{ type: 'Upgradeable', status: 'True' }],
    });
  });
});
