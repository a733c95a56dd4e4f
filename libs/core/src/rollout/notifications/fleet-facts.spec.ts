import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { fleetFacts, type NotedObjects } from './fleet-facts.js';

const AT = '2026-01-05T00:00:00.000Z';
const NOW = Date.parse('2026-01-06T00:00:00Z');
const NONE: NotedObjects = { FleetRollout: [], FleetOperator: [], FleetCatalog: [], FleetCluster: [] };

const object = (kind: string, status: object, spec: object = {}): KubernetesObject =>
  ({
    ...{ apiVersion: 'fleet.flotilla.dev/v1alpha1', kind, spec, status },
    metadata: { name: kind === 'FleetRollout' ? 'kafka-3' : 'kafka', namespace: 'platform', uid: `uid-${kind}` },
  }) as KubernetesObject;
const rollout = (status: object) =>
  object('FleetRollout', { reason: '', movedAt: AT, ...status }, SPEC) satisfies KubernetesObject;
const SPEC = { subject: { kind: 'FleetOperator', name: 'kafka' }, target: { bundle: 'kafka.v2' } };
const condition = (type: string, status: string, reason: string, message = '') => ({
  conditions: [{ type, status, reason, message, lastTransitionTime: AT }],
});
const told = (objects: Partial<NotedObjects>) =>
  fleetFacts({ ...NONE, ...objects }, NOW).map(({ event, message }) => `${event} ${message}`);

describe('facts of a rollout', () => {
  it.each([
    [
      'a class that waits',
      { phase: 'Progressing', classes: [{ hash: 'abc', clusters: 3, approval: 'Waiting' }] },
      'WaitsForApproval rollout kafka-3 to kafka.v2: class abc waits for an approval',
    ],
    [
      'a halt',
      {
        phase: 'Halted',
        reason: 'ThresholdExceeded',
        ...condition('Progressing', 'False', 'Halted', 'wave 1 of 2 (lab): resume it'),
      },
      'Halted rollout kafka-3 to kafka.v2: Halted: wave 1 of 2 (lab): resume it',
    ],
    [
      'a rollback that runs',
      { phase: 'RollingBack', reason: 'Decision' },
      'RolledBack rollout kafka-3 to kafka.v2: RollingBack: Decision',
    ],
    [
      'a rollback that ended',
      { phase: 'RolledBack', reason: 'AllRolledBack' },
      'RolledBack rollout kafka-3 to kafka.v2: RolledBack: AllRolledBack',
    ],
    [
      'its end',
      { phase: 'Completed', reason: 'AllWavesComplete', finishedAt: AT },
      'Completed rollout kafka-3 to kafka.v2: Completed: AllWavesComplete',
    ],
    [
      'a cluster that did not pass a gate',
      {
        phase: 'Progressing',
        failures: [{ reason: 'GateRed', cause: 'errors' }],
        waves: [
          { name: 'lab', counts: { failed: 1 } },
          { name: 'shops', counts: { failed: 0 } },
        ],
      },
      'GateRed rollout kafka-3 to kafka.v2: GateRed in wave lab: errors',
    ],
    [
      'a red gate before a wave',
      {
        phase: 'Progressing',
        waves: [{ name: 'lab' }, { name: 'shops', phase: 'Pending', reason: 'GateBefore', redGate: 'errors' }],
      },
      'GateRed rollout kafka-3 to kafka.v2: GateRed in wave shops: errors',
    ],
    [
      'a gate that went back for lack of an answer',
      { phase: 'Progressing', reason: 'GateTimeout', wave: '2/3 shops' },
      'GateRed rollout kafka-3 to kafka.v2: GateTimeout in wave shops',
    ],
    [
      'a stop by a red gate once',
      { phase: 'Progressing', reason: 'GateRed', wave: '1/3 lab', waves: [{ name: 'lab', redGate: 'errors' }] },
      'GateRed rollout kafka-3 to kafka.v2: GateRed in wave lab: errors',
    ],
    [
      'a window',
      { phase: 'Progressing', ...condition('Progressing', 'False', 'Frozen', '3 Frozen') },
      'WindowHolds rollout kafka-3 to kafka.v2: a FleetWindow holds it: 3 Frozen',
    ],
  ])('name %s', (_what, status, expected) => {
    expect(told({ FleetRollout: [rollout(status)] })).toEqual([expected]);
  });

  it.each([
    [
      'progress',
      { phase: 'Progressing', reason: 'Planned', classes: [{ hash: 'a', clusters: 1, approval: 'Approved' }] },
    ],
    [
      'a class of a rollout that is over',
      { phase: 'Aborted', classes: [{ hash: 'a', clusters: 1, approval: 'Waiting' }] },
    ],
  ])('do not name %s', (_what, status) => {
    expect(told({ FleetRollout: [rollout(status)] })).toEqual([]);
  });

  it('have the labels of the subject and the page of the rollout', () => {
    const operator = object('FleetOperator', {});
    operator.metadata.labels = { team: 'data' };
    const [fact] = fleetFacts(
      { ...NONE, FleetOperator: [operator], FleetRollout: [rollout({ phase: 'Completed' })] },
      NOW,
    );
    expect(fact).toMatchObject({ subject: { labels: { team: 'data' } }, path: '/rollouts/platform%2Fkafka-3', at: AT });
  });

  it('name a red gate of each wave', () => {
    const keys = ['lab', 'shops'].map((name) => {
      const status = { phase: 'Progressing', reason: 'GateRed', wave: `1/2 ${name}` };
      return fleetFacts({ ...NONE, FleetRollout: [rollout(status)] }, NOW)[0]?.key;
    });
    expect(new Set(keys).size).toBe(2);
    const steps = [
      {
        phase: 'Progressing',
        waves: [
          { name: 'lab', phase: 'Complete' },
          { name: 'shops', redGate: 'errors' },
        ],
      },
      { phase: 'Progressing', reason: 'GateRed', wave: '2/2 shops', waves: [{ name: 'shops', redGate: 'errors' }] },
      {
        ...{ phase: 'RollingBack', reason: 'GateRed', wave: '1/2 lab' },
        waves: ['lab', 'shops'].map((name) => ({ name, phase: 'RollingBack' })),
      },
    ].map((status) => fleetFacts({ ...NONE, FleetRollout: [rollout(status)] }, NOW));
    const told = new Set(steps.flat().flatMap(({ event, key }) => (event === 'GateRed' ? [key] : [])));
    expect(told).toEqual(new Set([keys[1]]));
    const failed = (names: readonly string[]) => {
      const waves = names.map((name) => ({ name, counts: { failed: 1 } }));
      const status = { phase: 'Progressing', failures: [{ reason: 'GateRed', cause: 'errors' }], waves };
      return fleetFacts({ ...NONE, FleetRollout: [rollout(status)] }, NOW).map(({ key }) => key);
    };
    expect(failed(['lab', 'shops']).filter((key) => !failed(['lab']).includes(key))).toHaveLength(1);
  });

  it('have the time of a halt after a soak, and one identity while clusters of it end', () => {
    const halt = (since: string, movedAt: string) => {
      const conditions = condition('Progressing', 'False', 'Halted', 'resume it');
      const status = { phase: 'Halted', reason: 'GateRed', phaseSince: since, movedAt, ...conditions };
      return fleetFacts({ ...NONE, FleetRollout: [rollout(status)] }, NOW).find(({ event }) => event === 'Halted');
    };
    const [first, later] = ['2026-01-05T09:00:00.000Z', '2026-01-05T10:00:00.000Z'] as const;
    expect(halt(first, first)?.at).toBe(first);
    expect(halt(first, later)?.key).toBe(halt(first, first)?.key);
    expect(halt(later, later)?.key).not.toBe(halt(first, first)?.key);
  });

  it('are none if a status cannot be read', () => {
    expect(told({ FleetRollout: [{ ...rollout({}), status: 'broken' }] })).toEqual([]);
    expect(told({ FleetCluster: [{ ...object('FleetCluster', {}), status: { conditions: 7 } }] })).toEqual([]);
  });
});

describe('facts of other objects', () => {
  it.each([
    ['FleetCluster', condition('Reachable', 'False', 'Timeout', 'no answer'), 'ClusterUnreachable Timeout: no answer'],
    [
      'FleetCluster',
      condition('CredentialsValid', 'False', 'Expired', 'it has ended'),
      'LoginEnds Expired: it has ended',
    ],
    [
      'FleetCluster',
      { credentialsExpireAt: '2026-01-07T00:00:00Z' },
      'LoginEnds the login of the hub ends at 2026-01-07T00:00:00Z: renew it',
    ],
    [
      'FleetCatalog',
      condition('Ready', 'False', 'PullFailed', 'no such image'),
      'CatalogBroken PullFailed: no such image',
    ],
    [
      'FleetOperator',
      condition('Drifted', 'True', 'ChangedByOthers', '1 cluster (a)'),
      'Drift ChangedByOthers: 1 cluster (a)',
    ],
  ] as const)('%s %j', (kind, status, expected) => {
    expect(told({ [kind]: [object(kind, status)] })).toEqual([expected]);
  });

  it.each([
    ['FleetCluster', condition('Reachable', 'True', 'Answering')],
    ['FleetCluster', { credentialsExpireAt: '2026-06-01T00:00:00Z' }],
    ['FleetCatalog', condition('Ready', 'True', 'Ready')],
    ['FleetOperator', condition('Drifted', 'False', 'AsApplied')],
  ] as const)('none of %s %j', (kind, status) => {
    expect(told({ [kind]: [object(kind, status)] })).toEqual([]);
  });

  it('do not name a login of 168 hours that the hub renews twice, until that fails', () => {
    const HOUR = 3_600_000;
    const iso = (hours: number) => new Date(NOW + hours * HOUR).toISOString();
    const seen = (issued: number, at: number, renewal: object = condition('CredentialsValid', 'True', 'Valid')) => {
      const status = { credentialsExpireAt: iso(issued + 168), credentialsRenewedFrom: iso(issued + 84), ...renewal };
      return fleetFacts({ ...NONE, FleetCluster: [object('FleetCluster', status)] }, NOW + at * HOUR);
    };
    for (const issued of [0, 84, 168]) expect([seen(issued, issued), seen(issued, issued + 84)].flat()).toEqual([]);
    const fails = condition('CredentialsValid', 'True', 'NotRenewed', 'it could not be stored');
    expect(seen(0, 85, fails)).toMatchObject([
      { event: 'LoginEnds', message: 'NotRenewed: it could not be stored', at: iso(84) },
    ]);
  });

  it('are one fact of logins that others renew for less than seven days', () => {
    const keys = ['2026-01-07T00:00:00Z', '2026-01-08T00:00:00Z'].map(
      (end) =>
        fleetFacts({ ...NONE, FleetCluster: [object('FleetCluster', { credentialsExpireAt: end })] }, NOW)[0]?.key,
    );
    expect(keys[0]).toBe(keys[1]);
  });

  it('are other facts after the condition has changed twice', () => {
    const at = (lastTransitionTime: string) => ({
      conditions: [{ type: 'Reachable', status: 'False', reason: 'Timeout', message: '', lastTransitionTime }],
    });
    const keys = [AT, '2026-01-05T10:00:00.000Z', AT].map(
      (time) => fleetFacts({ ...NONE, FleetCluster: [object('FleetCluster', at(time))] }, NOW)[0]?.key,
    );
    expect(keys[0]).toBe(keys[2]);
    expect(keys[0]).not.toBe(keys[1]);
  });
});
