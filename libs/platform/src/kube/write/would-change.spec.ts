import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { applyWouldChange, patchWouldChange } from './would-change.js';

const OURS = 'flotilla-applier';

/** As the API server shows it after our apply that owns these fields. */
const appliedBefore = (object: object, fieldsV1: object): KubernetesObject =>
  ({
    ...object,
    metadata: { ...Object(object).metadata, managedFields: [{ manager: OURS, operation: 'Apply', fieldsV1 }] },
  }) as KubernetesObject;

const policy = (spec: object) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'deny' },
  spec: { podSelector: {}, ...spec },
});
const lamp = (spec: object) => ({ apiVersion: 'lamps.example.com/v1', kind: 'Lamp', metadata: { name: 'one' }, spec });
const map = (fields: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, ...fields });
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.example.com' },
};
const SELECTOR = { 'f:spec': { 'f:podSelector': {} } };

describe('whether an apply would change an object', () => {
  it.each<[changes: boolean, because: string, live: KubernetesObject, wanted: object]>([
    [
      false,
      'the API server drops an empty list of its own kinds',
      appliedBefore(policy({}), SELECTOR),
      policy({ ingress: [] }),
    ],
    [
      false,
      'the API server drops an empty map of texts of its own kinds',
      appliedBefore(map({}), {}),
      map({ data: {} }),
    ],
    [
      true,
      'another client filled the list that is wanted empty',
      appliedBefore(policy({ ingress: [{}] }), SELECTOR),
      policy({ ingress: [] }),
    ],
    [
      true,
      'an empty structure is not dropped: without it the field means something else',
      appliedBefore({ ...policy({}), spec: {} }, { 'f:spec': {} }),
      policy({}),
    ],
    [
      true,
      'a default of a schema is stored as it comes',
      appliedBefore({ ...CRD, spec: { schema: {} } }, { 'f:spec': { 'f:schema': {} } }),
      { ...CRD, spec: { schema: { default: [] } } },
    ],
    [true, 'custom resources keep empty lists', appliedBefore(lamp({}), { 'f:spec': {} }), lamp({ colours: [] })],
    [true, 'custom resources keep empty maps', appliedBefore(lamp({}), { 'f:spec': {} }), lamp({ data: {} })],
    [false, 'null is absence', appliedBefore(lamp({}), { 'f:spec': {} }), { ...lamp({}), spec: { colour: null } }],
  ])('%s: %s', (changes, _, live, wanted) => {
    expect(applyWouldChange(live, wanted as KubernetesObject, OURS)).toBe(changes);
  });
});

describe('whether a merge patch would change an object', () => {
  const target = map({ data: { a: '1' } }) as KubernetesObject;

  it.each<[changes: boolean, because: string, patch: Readonly<Record<string, unknown>>]>([
    [false, 'the values are there', { data: { a: '1' } }],
    [true, 'a value differs', { data: { a: '2' } }],
    [true, 'a value is new', { data: { b: '1' } }],
    [true, 'null removes a value that is there', { data: { a: null } }],
    [false, 'null removes nothing where nothing is', { data: { b: null }, spec: null }],
    [true, 'a text where a map is wanted', { data: { a: { b: '1' } } }],
    [false, 'a resourceVersion and a uid are locks', { metadata: { resourceVersion: '7', uid: 'u' } }],
    [true, 'labels are no lock', { metadata: { resourceVersion: '7', labels: { a: 'b' } } }],
    [true, 'lists are replaced as a whole', { metadata: { finalizers: ['x'] } }],
  ])('%s: %s', (changes, _, patch) => {
    expect(patchWouldChange(target, patch)).toBe(changes);
  });
});
