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
      'a red gate',
      { phase: 'Progressing', failures: [{ reason: 'GateRed' }], waves: [{ name: 'lab', reason: '' }] },
      'GateRed rollout kafka-3 to kafka.v2: GateRed',
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
