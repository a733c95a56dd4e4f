import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { changesNothing } from './crd-unchanged.js';

type Version = Readonly<Record<string, unknown>>;

const schema = (properties: object, more: object = {}) => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties, ...more } } },
});
const version = (name: string, more: Version = {}): Version => ({
  ...{ name, served: true, storage: name === 'v1', schema: schema({ size: { type: 'integer' } }) },
  ...more,
});
const crd = (versions: readonly Version[], spec: object = {}, annotations: Record<string, string> = {}) =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'docks.d.test', annotations },
    spec: { group: 'd.test', names: { kind: 'Dock', plural: 'docks' }, scope: 'Namespaced', versions, ...spec },
  }) satisfies KubernetesObject;

/** As the API server gives it back. */
const LIVE = crd([version('v1'), version('v2')], {
  names: { kind: 'Dock', plural: 'docks', singular: 'dock', listKind: 'DockList' },
  conversion: { strategy: 'None' },
});

describe('a CRD that is there', () => {
  it.each<[what: string, next: KubernetesObject]>([
    ['the same', crd([version('v1'), version('v2')])],
    ['other annotations', crd([version('v1'), version('v2')], {}, { 'controller-gen.kubebuilder.io/version': 'v1' })],
    ['fields that the API server omits', crd([version('v1', { deprecated: false }), version('v2')])],
    [
      'empty lists and the default of preserveUnknownFields',
      crd([version('v1', { additionalPrinterColumns: [] }), version('v2')], { preserveUnknownFields: false }),
    ],
    [
      'members of a schema that the API server omits',
      crd([
        version('v1', { schema: schema({ size: { type: 'integer', description: '' } }, { required: [] }) }),
        version('v2'),
      ]),
    ],
    ['null', crd([version('v1', { deprecationWarning: null }), version('v2')])],
  ])('does not change by a manifest that says %s', (_what, next) => {
    expect(changesNothing(LIVE, next)).toBe(true);
  });

  it.each<[what: string, next: KubernetesObject]>([
    ['one version more', crd([version('v1'), version('v2'), version('v3')])],
    ['one version less', crd([version('v1')])],
    ['a version not served', crd([version('v1'), version('v2', { served: false })])],
    [
      'a required field',
      crd([version('v1'), version('v2', { schema: schema({ size: { type: 'integer' } }, { required: ['size'] }) })]),
    ],
    ['a field less', crd([version('v1'), version('v2', { schema: schema({}) })])],
    ['a default', crd([version('v1'), version('v2', { schema: schema({ size: { type: 'integer', default: 1 } }) })])],
    ['another conversion', crd([version('v1'), version('v2')], { conversion: { strategy: 'Webhook' } })],
    ['a status subresource', crd([version('v1', { subresources: { status: {} } }), version('v2')])],
  ])('changes by a manifest that says %s', (_what, next) => {
    expect(changesNothing(LIVE, next)).toBe(false);
  });
});
