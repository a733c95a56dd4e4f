import { describe, expect, it } from 'vitest';
import { objectFaults } from './object-faults.js';

const object = (apiVersion: string, kind: string, more: object) => ({
  apiVersion,
  kind,
  metadata: { name: 'a' },
  ...more,
});
const RBAC = 'rbac.authorization.k8s.io/v1';
const crd = (schema: object) =>
  object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    metadata: { name: 'as.x.test' },
    spec: { group: 'x.test', names: { plural: 'as' }, versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] },
  });

describe('an object of a bundle with a value of another type', () => {
  it.each([
    [object('v1', 'ConfigMap', { data: { port: 8443 } }), 'data.port is the number 8443; a text is expected: quote it'],
    [object('v1', 'Secret', { data: { key: '?' } }), 'data.key is "?"; a text in base64 is expected'],
    [object('other.test/v1', 'Secret', { type: true }), 'type is the boolean true; a text is expected: quote it'],
    [
      object('v1', 'Service', { spec: { ports: [{ port: '80' }] } }),
      'spec.ports[0].port is the text "80"; a number is expected: remove the quotes',
    ],
    [object(RBAC, 'Role', { rules: [{ verbs: 'get' }] }), 'rules[0].verbs is a text; a list is expected'],
    [
      object('policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 1.5 } }),
      'spec.minAvailable is the number 1.5; a whole number is expected',
    ],
    [
      crd({ properties: { a: { items: { maxLength: '5' } } } }),
      'spec.versions[0].schema.openAPIV3Schema.properties.a.items.maxLength is the text "5"; a number is expected: remove the quotes',
    ],
  ])('is refused before anything is applied: %#', (given, text) => {
    expect(objectFaults(given)).toEqual([text]);
  });

  it.each([
    object('v1', 'ConfigMap', { data: null, binaryData: { a: null } }),
    object('v1', 'Service', { spec: { ports: [{ port: 80, targetPort: 'web' }], unknown: 1 }, status: null }),
    object('other.test/v1', 'NetworkPolicy', { spec: 5 }),
    crd({ type: 'object', default: { a: [1] }, additionalProperties: true, items: null }),
  ])('is read as Go reads it: %#', (given) => {
    expect(objectFaults(given)).toEqual([]);
  });
});
