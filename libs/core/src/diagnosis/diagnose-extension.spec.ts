import { describe, expect, it } from 'vitest';
import { type ClusterServiceVersion, CSV_API } from '../api/cluster-service-version.js';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { crdsInTheWay, diagnoseExtension } from './diagnose-extension.js';

const CRD = 'mills.example.com';
const extension = (message: string, installed = 'False'): KubernetesObject => ({
  apiVersion: 'olm.operatorframework.io/v1',
  kind: 'ClusterExtension',
  metadata: { name: 'mill' },
  status: {
    conditions: [
      { type: 'Installed', status: installed, reason: 'Failed', message: 'No bundle installed' },
      { type: 'Progressing', status: 'True', reason: 'Retrying', message },
    ],
  },
});
const csv: ClusterServiceVersion = {
  ...CSV_API,
  metadata: { name: 'mill.v1', namespace: 'team' },
  spec: { customresourcedefinitions: { owned: [{ name: CRD, version: 'v1', kind: 'Mill' }] } },
};
const refused = `error for resolved bundle: validating upgrade for CRD "${CRD}": existingFieldRemoval: removed field`;
const collision = `revision object collisions in phase "crds"\nObject CustomResourceDefinition.apiextensions.k8s.io/v1 /${CRD}\nAction: "Collision"\nConflicting Owner: none; it was there before`;

describe('a ClusterExtension whose CRD is there already', () => {
  it.each([
    { because: 'the check of the CRD', message: refused },
    { because: 'the collision', message: collision },
  ])('names the operator that owns it, by $because, and how the extension gets it', ({ message }) => {
    const { standing, because, todo } = diagnoseExtension(extension(message), { csvs: [csv] });
    expect(standing).toBe('blocked');
    expect(because.at(-1)).toContain(`${CRD} belongs to ClusterServiceVersion team/mill.v1`);
    expect(todo.map((one) => /kubectl .*/.exec(one)?.[0])).toEqual([
      'kubectl delete clusterextension mill',
      `kubectl get ${CRD} -A -o yaml > ${CRD}.yaml`,
      'kubectl -n team delete csv mill.v1',
      `kubectl delete crd ${CRD}`,
    ]);
  });

  it('says that an uninstalled operator has left it where none owns it', () => {
    const { because, todo } = diagnoseExtension(extension(refused), { csvs: [], crds: [] });
    expect(because.at(-1)).toContain('no installed operator owns it');
    expect(todo.map((one) => /kubectl .*/.exec(one)?.[0])).toEqual([
      `kubectl get ${CRD} -A -o yaml > ${CRD}.yaml`,
      `kubectl delete crd ${CRD}`,
    ]);
  });

  it('never advises to delete the CRD of the extension itself, or of another ClusterExtension', () => {
    expect(crdsInTheWay(extension(refused, 'True'))).toEqual([]);
    const owner = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterObjectSet', name: 'other-1', uid: 'u' };
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: CRD, ownerReferences: [{ ...owner, controller: true }] },
    };
    for (const found of [
      diagnoseExtension(extension(refused, 'True'), { csvs: [] }),
      diagnoseExtension(extension(refused), { csvs: [], crds: [crd] }),
      diagnoseExtension(extension(refused), { csvs: [] }),
      diagnoseExtension(extension(collision.replace('none; it was there before', 'ClusterObjectSet "other-1"')), {
        csvs: [],
      }),
    ]) {
      expect(found.todo.join()).not.toContain('delete');
    }
  });
});
