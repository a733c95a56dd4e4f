import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import type { Subscription } from '../../../kernel/api/subscription.js';
import { context, csv, decide, live, object, RBAC, step } from '../execution/decide-step.fixture.js';
import { ownerLabels } from './csv-owner.js';
import { startMarks } from './start-marks.js';

const LABEL = 'operators.coreos.com/tug.harbour';
const subscription: Subscription = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'wish', namespace: 'harbour' },
  spec: { name: 'tug', source: 'shelf', sourceNamespace: 'olm' },
  status: { currentCSV: 'tug.v1' },
};
const group = (namespaces: string[], name = 'crew'): OperatorGroup => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup',
  metadata: { name, namespace: 'harbour' },
  status: { namespaces },
});
const OWN = [group(['harbour'])];

/** The metadata of what the step makes in a namespace with these groups. */
function made(one: KubernetesObject, groups: readonly OperatorGroup[], there: readonly KubernetesObject[] = []) {
  const within = { ...context, startMarks: startMarks([subscription], groups) };
  const decision = decide(step(one), [...there, csv('tug.v1')], undefined, within);
  const [action] = 'actions' in decision ? decision.actions : [];
  return action !== undefined && 'object' in action ? action.object.metadata : undefined;
}
const newCsv = (groups: readonly OperatorGroup[]) => {
  const within = { ...context, startMarks: startMarks([subscription], groups) };
  return decide(step(csv('tug.v1')), [], undefined, within);
};
const owned = (kind: string, apiVersion = RBAC): KubernetesObject => {
  const owner = { apiVersion: csv('').apiVersion, kind: 'ClusterServiceVersion', name: 'tug.v1', uid: '' };
  return object(kind, { metadata: { name: 'it', ownerReferences: [owner] } }, apiVersion);
};
const crdOf = (metadata: object): KubernetesObject => {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  const names = { kind: 'Tug', plural: 'tugs', listKind: 'TugList', singular: 'tug' };
  const spec = { group: 'sea.example', scope: 'Namespaced', names, versions: [version] };
  return object('CustomResourceDefinition', { metadata, spec }, 'apiextensions.k8s.io/v1');
};
const wide = object('ClusterRole', { metadata: { name: 'it', labels: ownerLabels('tug.v1', 'harbour') } }, RBAC);

describe('what a plan makes is as it will be', () => {
  it('a ClusterServiceVersion: a member of its group, with its finalizer and the component label', () => {
    expect(newCsv(OWN)).toMatchObject({
      actions: [
        {
          do: 'create',
          object: {
            metadata: {
              labels: { [LABEL]: '', 'olm.managed': 'true' },
              annotations: {
                'olm.operatorGroup': 'crew',
                'olm.operatorNamespace': 'harbour',
                'olm.targetNamespaces': 'harbour',
              },
              finalizers: ['operators.coreos.com/csv-cleanup'],
            },
          },
        },
      ],
    });
  });

  it('where there are two groups it is a member of none', () => {
    expect(newCsv([...OWN, group([], 'others')])).not.toHaveProperty('actions.0.object.metadata.annotations.olm');
    expect(JSON.stringify(newCsv([...OWN, group([], 'others')]))).not.toContain('olm.operatorGroup');
  });

  it.each<[what: string, one: KubernetesObject, groups: readonly OperatorGroup[], label: string | undefined]>([
    ['a service account of the CSV', owned('ServiceAccount', 'v1'), OWN, ''],
    ['a Role of the CSV', owned('Role'), OWN, ''],
    ['a ClusterRole of the CSV', wide, OWN, ''],
    ['a ClusterRole of the CSV in a global group', wide, [group([''])], ''],
    ['not a Role that will be copied', owned('Role'), [group(['harbour', 'pier'])], undefined],
    ['not a RoleBinding that will be lifted', owned('RoleBinding'), [group([''])], undefined],
    ['not a Role that the bundle ships itself', object('Role', {}, RBAC), OWN, undefined],
    ['not what no Operator gathers', object('ConfigMap'), OWN, undefined],
  ])('%s has the component label', (_what, one, groups, label) => {
    expect(made(one, groups)?.labels?.[LABEL]).toBe(label);
  });

  it.each([
    ['keeps it', { [LABEL]: '' }, ''],
    ['does not get it before it is known to be provided', {}, undefined],
  ])('a CustomResourceDefinition that is replaced %s', (_what, labels, label) => {
    const crd = crdOf({ name: 'tugs.sea.example' });
    const there = crdOf({ name: 'tugs.sea.example', uid: 'u', resourceVersion: '42', labels });
    expect(made(crd, OWN, [there])?.labels?.[LABEL]).toBe(label);
  });

  it('also where it takes the place of another', () => {
    expect(made(owned('Role'), OWN, [live('Role', {}, RBAC)])?.labels).toMatchObject({ [LABEL]: '' });
  });
});
