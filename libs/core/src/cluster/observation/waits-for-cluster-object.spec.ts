import { describe, expect, it } from 'vitest';
import { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { isForOwnerAlone, waitsForClusterObject } from './waits-for-cluster-object.js';

const csv = (phase: string, spec: object = {}) =>
  ClusterServiceVersion.parse({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'mill.v1', namespace: 'team' },
    spec: {
      install: { strategy: 'deployment', spec: { deployments: [] } },
      customresourcedefinitions: {
        owned: [{ name: 'mills.example.com', version: 'v1', kind: 'Mill' }],
        required: [{ name: 'lamps.example.com', version: 'v1', kind: 'Lamp' }],
      },
      apiservicedefinitions: {
        owned: [{ group: 'grain.example.com', version: 'v2', kind: 'Grain' }],
        required: [{ group: 'light.example.com', version: 'v1', kind: 'Light' }],
      },
      ...spec,
    },
    status: { phase },
  });
const object = (kind: string, name: string, labels: Record<string, string> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, labels },
});

describe('an operator', () => {
  it.each([
    ['a definition that it owns', 'Succeeded', object('CustomResourceDefinition', 'mills.example.com'), true],
    ['a definition that it requires', 'Pending', object('CustomResourceDefinition', 'lamps.example.com'), true],
    ['a definition of another operator', 'Pending', object('CustomResourceDefinition', 'other.example.com'), false],
    ['an APIService that another owner has', 'Failed', object('APIService', 'v2.grain.example.com'), true],
    ['an APIService that it requires', 'Pending', object('APIService', 'v1.light.example.com'), true],
    ['another version of its APIService', 'Failed', object('APIService', 'v1.grain.example.com'), false],
    ['an APIService after it has succeeded', 'Succeeded', object('APIService', 'v2.grain.example.com'), false],
    ['rights while it may lack them', 'Pending', object('ClusterRole', 'any'), true],
    ['rights that may end a failure', 'Failed', object('ClusterRole', 'any'), true],
    ['rights while its Deployments start', 'Installing', object('ClusterRole', 'any'), false],
    ['rights after it has succeeded', 'Succeeded', object('ClusterRole', 'any'), false],
  ])('waits for %s: %s', (_, phase, changed, waits) => {
    expect(waitsForClusterObject(csv(phase), changed)).toBe(waits);
  });
});

it('waits for any definition where it needs an API that it does not name by one', () => {
  const crd = object('CustomResourceDefinition', 'other.example.com');
  const native = { nativeAPIs: [{ group: 'other.example.com', version: 'v1', kind: 'Other' }] };
  expect(waitsForClusterObject(csv('Pending', native), crd)).toBe(true);
  expect(waitsForClusterObject(csv('Succeeded', native), crd)).toBe(false);
});

describe('an object for its owner alone', () => {
  const labels = { 'olm.owner.namespace': 'team' };
  it.each([
    ['rights that the applier wrote for an operator', object('ClusterRole', 'a', labels), true, true],
    ['the same, changed by others', object('ClusterRole', 'a', labels), false, false],
    [
      'rights on an API that an operator provides',
      object('ClusterRole', 'a', { 'olm.managed': 'true', 'olm.opgroup.permissions/aggregate-to-1a-view': 'true' }),
      true,
      true,
    ],
    ['rights without an owner', object('ClusterRoleBinding', 'a'), true, false],
    ['a definition', object('CustomResourceDefinition', 'a', labels), true, false],
  ])('%s', (_, changed, own, alone) => {
    expect(isForOwnerAlone(changed, own)).toBe(alone);
  });
});
