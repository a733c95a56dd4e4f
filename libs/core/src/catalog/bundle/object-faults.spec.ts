import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { objectFaults } from './object-faults.js';

const object = (kind: string, metadata: unknown, more: object = {}): KubernetesObject =>
  ({ apiVersion: 'v1', kind, metadata, ...more }) as KubernetesObject;

const POD = { spec: { containers: [] } };
const deployment = (over: object = {}, spec: object = {}) => ({
  name: 'lamp',
  spec: {
    selector: { matchLabels: { app: 'lamp' } },
    template: { ...POD, metadata: { labels: { app: 'lamp' } } },
    ...spec,
  },
  ...over,
});
const csv = (deployments: readonly unknown[], name = 'lamp.v1', more: object = {}) =>
  object('ClusterServiceVersion', { name }, { spec: { install: { spec: { deployments, ...more } } } });
const webhook = (definition: object) =>
  object(
    'ClusterServiceVersion',
    { name: 'a' },
    { spec: { install: { spec: { deployments: [] } }, webhookdefinitions: [definition] } },
  );
const crd = (name: string, spec: object = { group: 'a.test', names: { plural: 'lamps' } }) =>
  object('CustomResourceDefinition', { name }, { spec });

describe('what no API server takes', () => {
  it.each([
    [object('ConfigMap', { name: 'Bad_Name' }), 'metadata.name "Bad_Name" is not a DNS name: at most 253 lower-case'],
    [object('ConfigMap', { name: 'a'.repeat(254) }), 'is not a DNS name: at most 253'],
    [object('ConfigMap', {}), 'metadata.name is missing'],
    [object('Service', { name: 'a.b' }), 'metadata.name "a.b" is not a name of a Service: at most 63'],
    [object('Service', { name: 'a'.repeat(64) }), 'is not a name of a Service'],
    [object('Role', { name: 'a/b' }), 'metadata.name "a/b" is not a name of a Role'],
    [object('ClusterRole', { name: '..' }), 'metadata.name ".." is not a name of a ClusterRole'],
    [object('ConfigMap', { name: 'a', labels: { 'a b': 'c' } }), 'metadata.labels: "a b" is not a label key'],
    [object('ConfigMap', { name: 'a', labels: { '/b': 'c' } }), 'metadata.labels: "/b" is not a label key'],
    [object('ConfigMap', { name: 'a', labels: { a: 'b c' } }), 'metadata.labels.a: "b c" is not a label value'],
    [object('ConfigMap', { name: 'a', labels: { a: 'b'.repeat(64) } }), 'is not a label value: at most 63'],
    [object('ConfigMap', { name: 'a', labels: { port: 80 } }), 'metadata.labels.port is the number 80; a text is'],
    [object('ConfigMap', { name: 'a', annotations: { 'a b': 'c' } }), 'metadata.annotations: "a b" is not a key of an'],
    [object('ConfigMap', { name: 'a', annotations: { on: true } }), 'metadata.annotations.on is the boolean true; a'],
    [object('ConfigMap', { name: 'a', annotations: { a: 'b'.repeat(2 ** 18) } }), 'metadata.annotations: more than'],
    [csv([], 'l'.repeat(64)), 'metadata.name has 64 characters: OLM writes it into labels of at most 63'],
    [csv([deployment({ name: 'Bad_Name' })]), 'spec.install.spec.deployments[0].name "Bad_Name" is not a DNS name'],
    [csv([deployment({ name: '' })]), 'spec.install.spec.deployments[0].name is missing'],
    [csv([deployment(), deployment({ label: { a: '-' } })]), 'spec.install.spec.deployments[1].label.a: "-" is no'],
    [
      csv([deployment({}, { template: { ...POD, metadata: { labels: { app: 'lamp', 'x y': '' } } } })]),
      'spec.install.spec.deployments[0].spec.template.metadata.labels: "x y" is not a label key',
    ],
    [
      csv([deployment({}, { template: { ...POD, metadata: { labels: { app: 'wick' } } } })]),
      'spec.install.spec.deployments[0].spec.selector.matchLabels.app is not among the labels of spec.template',
    ],
    [
      csv([], 'lamp.v1', { permissions: [{ serviceAccountName: 'A', rules: [] }] }),
      'spec.install.spec.permissions[0].serviceAccountName "A" is not a DNS name',
    ],
    [object('ClusterServiceVersion', { name: 'a' }), 'spec.install.spec.deployments is missing'],
    [csv([deployment({}, { selector: null })]), 'spec.install.spec.deployments[0].spec.selector is missing'],
    [
      csv([deployment({}, { template: { metadata: { labels: { app: 'lamp' } } } })]),
      'spec.install.spec.deployments[0].spec.template.spec.containers is missing',
    ],
    [csv([], 'lamp.v1', { permissions: [{}] }), 'spec.install.spec.permissions[0].rules is missing'],
    [
      csv([], 'lamp.v1', { clusterPermissions: [{ rules: [{ resources: ['pods'] }] }] }),
      'spec.install.spec.clusterPermissions[0].rules[0].verbs is missing',
    ],
    [webhook({ sideEffects: 'None' }), 'spec.webhookdefinitions[0].admissionReviewVersions is missing'],
    [webhook({ admissionReviewVersions: ['v1'] }), 'spec.webhookdefinitions[0].sideEffects is missing'],
    [crd('lamp.a.test'), 'metadata.name "lamp.a.test" must be "lamps.a.test": spec.names.plural and spec.group'],
    [crd('subscriptions.operators.coreos.com'), 'defines an API of OLM or Flotilla, and no bundle may install'],
  ])('%#: %s', (faulty, says) => {
    expect(objectFaults(faulty)).toEqual([expect.stringContaining(says)]);
  });

  it.each([
    object('ConfigMap', { name: 'a.b-c', labels: { 'a.b/c_D': '', e: 'F_1' }, annotations: { 'A.b/c': 'any text' } }),
    object('ConfigMap', { generateName: 'a-', labels: null, annotations: { a: null } }),
    object('ClusterRole', { name: 'system:a:B_c' }),
    object('Service', { name: 'a'.repeat(63) }),
    csv([deployment()], `l.v1-${'a'.repeat(58)}`, { permissions: [{ serviceAccountName: 'default', rules: [] }] }),
    csv([]),
    crd('lamps.a.test'),
    crd('lamps.a.test', {}),
  ])('%#: nothing against it', (good) => {
    expect(objectFaults(good)).toEqual([]);
  });

  it.each([null, 7, 'text', [], [null]])('never throws: %j in place of every part', (odd) => {
    for (const faulty of [
      csv([odd]),
      { ...csv([]), spec: odd },
      object('ClusterServiceVersion', { name: 'a' }, { spec: { install: { spec: odd } } }),
      object('ConfigMap', { name: 'a', labels: odd, annotations: odd }),
      crd('a.b', { names: odd, group: odd } as object),
    ]) {
      expect(() => objectFaults(faulty as KubernetesObject)).not.toThrow();
    }
  });
});
