import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { changeOrigin, isOfPasses, staysInstalled } from './change-origin.js';

type Writers = readonly (readonly [manager: string, time?: string])[];

const EARLY = '2026-11-23T10:00:00Z';
const LATE = '2026-11-23T10:00:01Z';

function object(kind: string, writers: Writers, rest: Record<string, unknown> = {}, phase?: string): KubernetesObject {
  const managedFields = writers.map(([manager, time]) => ({ manager, ...(time === undefined ? {} : { time }) }));
  const metadata = { name: 'lamp', namespace: 'apps', managedFields, ...rest };
  return { apiVersion: 'v1', kind, metadata, ...(phase === undefined ? {} : { status: { phase } }) };
}

describe('an object', () => {
  it.for<[string, Writers, boolean]>([
    [
      'that the applier wrote last',
      [
        ['kubectl', EARLY],
        ['flotilla-applier', LATE],
      ],
      true,
    ],
    ['that the applier alone wrote', [['flotilla-applier', EARLY]], true],
    [
      'that a user wrote last',
      [
        ['flotilla-applier', EARLY],
        ['kubectl', LATE],
      ],
      false,
    ],
    [
      'that both wrote in one second',
      [
        ['flotilla-applier', LATE],
        ['kubectl', LATE],
      ],
      false,
    ],
    [
      'whose rules were gathered after a write of the applier',
      [
        ['flotilla-applier', LATE],
        ['clusterrole-aggregation-controller', LATE],
      ],
      true,
    ],
    ['without times', [['flotilla-applier']], false],
    ['without writers', [], false],
  ])('%s is of the applier: %s', ([, writers, own]) => {
    expect(changeOrigin(object('Role', writers)).own).toBe(own);
  });

  it.for<[string, string | undefined, boolean]>([
    ['Role', undefined, false],
    ['ClusterServiceVersion', 'Succeeded', false],
    ['ClusterServiceVersion', 'Deleting', true],
  ])('a %s in phase %s that is being deleted is changed by the applier: %s', ([kind, phase, own]) => {
    const deleted = object(kind, [['flotilla-applier', LATE]], { deletionTimestamp: LATE }, phase);
    expect(changeOrigin(deleted).own).toBe(own);
  });

  it.for<[string, Record<string, string>, string, boolean]>([
    ['has no conditions yet', {}, 'kube-controller-manager', true],
    ['is not Available yet', { Available: 'False', Progressing: 'True' }, 'kube-controller-manager', true],
    ['is Available', { Available: 'True', Progressing: 'True' }, 'kube-controller-manager', false],
    ['has failed to roll out', { Available: 'False', Progressing: 'False' }, 'kube-controller-manager', false],
    ['is not Available and was scaled', { Available: 'False' }, 'kubectl-scale', false],
  ])('a Deployment that %s is of the applier, where %s %s: %s', ([, states, writer, own]) => {
    const conditions = Object.entries(states).map(([type, status]) => ({ type, status }));
    const writers: Writers = [
      ['flotilla-applier', EARLY],
      [writer, LATE],
    ];
    expect(changeOrigin({ ...object('Deployment', writers), status: { conditions } }).own).toBe(own);
  });

  it('belongs to the ClusterServiceVersions of its owner references and labels', () => {
    const ownerReferences = [
      { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', name: 'lamp.v1', uid: '1' },
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'lamp', uid: '2' },
    ];
    const labels = { 'olm.owner': 'lamp.v2', 'olm.owner.namespace': 'shop', 'olm.owner.kind': 'ClusterServiceVersion' };
    expect(changeOrigin(object('Role', [], { ownerReferences, labels })).csvs).toEqual([
      { namespace: 'apps', name: 'lamp.v1' },
      { namespace: 'shop', name: 'lamp.v2' },
    ]);
    const ofGroup = { ...labels, 'olm.owner.kind': 'OperatorGroup' };
    expect(changeOrigin(object('ClusterRole', [], { labels: ofGroup })).csvs).toEqual([]);
  });
});

describe('what needs no pass at once', () => {
  const csvs = [{ namespace: 'apps', name: 'lamp.v1' }];

  it('is a write of the applier, and none of others', () => {
    expect(isOfPasses(object('Role', []), 'changed', { own: true, csvs }, () => true)).toBe(true);
    expect(isOfPasses(object('Role', []), 'changed', { own: false, csvs }, () => false)).toBe(false);
  });

  it('is what is gone with its ClusterServiceVersion, and nothing that a user deleted', () => {
    expect(isOfPasses(object('Role', []), 'gone', { own: true, csvs }, () => false)).toBe(true);
    expect(isOfPasses(object('Role', []), 'gone', { own: true, csvs }, () => true)).toBe(false);
    expect(isOfPasses(object('Role', []), 'gone', { own: true, csvs: [] }, () => false)).toBe(false);
  });

  it('is a ClusterServiceVersion that the applier deleted', () => {
    const gone = (phase: string) =>
      isOfPasses(object('ClusterServiceVersion', [], {}, phase), 'gone', { own: true, csvs: [] }, () => true);
    expect([gone('Deleting'), gone('Succeeded')]).toEqual([true, false]);
  });

  it('a ClusterServiceVersion that is not there, or that the applier deletes, does not stay', () => {
    expect(staysInstalled(undefined)).toBe(false);
    expect(staysInstalled(object('ClusterServiceVersion', [], {}, 'Deleting'))).toBe(false);
    expect(staysInstalled(object('ClusterServiceVersion', [], {}, 'Replacing'))).toBe(true);
  });
});
