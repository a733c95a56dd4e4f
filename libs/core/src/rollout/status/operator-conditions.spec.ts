import { describe, expect, it } from 'vitest';
import { type OperatorSummary, operatorConditions, type SummedRollout } from './operator-conditions.js';

const running: SummedRollout = {
  ...{ name: 'kafka-7', phase: 'Progressing', reason: 'Planned', failed: 0, inFlight: 1, isAsking: false },
};
const atRest: OperatorSummary = {
  ...{ isPaused: false, active: undefined, hasQueued: false, newest: { ...running, phase: 'Completed' }, installed: 3 },
  ...{ unhealthy: [], updatable: [], drifted: [], deprecated: [], conflicting: [] },
};
const active = (more: Partial<SummedRollout>) => ({ active: { ...running, ...more }, newest: { ...running, ...more } });

describe('conditions of a FleetOperator', () => {
  it('at rest say that nothing is to be done', () => {
    expect(operatorConditions(atRest).map((one) => `${one.type}=${one.status} ${one.reason}${one.message}`)).toEqual([
      'Progressing=False UpToDate',
      'Available=True AllHealthy',
      'Degraded=False NoneFailed',
      'UpdateAvailable=False UpToDate',
      'Drifted=False AsApplied',
      'Deprecated=False NotDeprecated',
      'Conflict=False NoConflict',
    ]);
  });

  it.each<[Partial<OperatorSummary>, string]>([
    [active({}), 'Progressing=True RollingOut kafka-7'],
    [active({ isAsking: true, inFlight: 0 }), 'Progressing=True AwaitingApproval kafka-7'],
    [active({ isAsking: true }), 'Progressing=True RollingOut kafka-7'],
    [active({ phase: 'Halted', reason: 'GateRed', failed: 2 }), 'Progressing=False Halted kafka-7: GateRed'],
    [active({ phase: 'Halted', reason: 'GateRed', failed: 2 }), 'Degraded=True ClustersFailed kafka-7: 2 clusters'],
    [{ isPaused: true, ...active({}) }, 'Progressing=False Paused '],
    [{ hasQueued: true }, 'Progressing=True Queued '],
    [
      { newest: { ...running, phase: 'RolledBack', reason: 'AllRolledBack' } },
      'Degraded=True RolledBack kafka-7: AllRolledBack',
    ],
    [{ installed: 0 }, 'Available=False NotInstalled '],
    [{ unhealthy: ['b'] }, 'Available=False SomeUnhealthy 1 cluster (b)'],
    [{ updatable: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'UpdateAvailable=True Planned 6 clusters (a, b, c, d, e, …)'],
    [
      { deprecated: ['a', 'b'].map((cluster) => ({ cluster, because: 'olm.channel/stable: use fast' })) },
      'Deprecated=True Deprecated 2 clusters (a, b): olm.channel/stable: use fast',
    ],
    [
      { conflicting: [{ cluster: 'a', because: 'FleetOperator p/old is older' }] },
      'Conflict=True InTheWay 1 cluster (a): FleetOperator p/old is older',
    ],
  ])('%j: %s', (more, expected) => {
    const found = operatorConditions({ ...atRest, ...more });
    expect(found.map(({ type, status, reason, message }) => `${type}=${status} ${reason} ${message}`)).toContain(
      expected,
    );
  });
});
