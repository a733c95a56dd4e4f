import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { checkReturn, type ReturnFacts } from './return-check.js';

type Version = Readonly<{ name: string; served?: boolean; storage?: boolean; required?: readonly string[] }>;

const crd = (versions: readonly Version[], stored: readonly string[] = [], webhook = false): KubernetesObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Lamp', plural: 'lamps' },
    ...(webhook ? { conversion: { strategy: 'Webhook' } } : {}),
    versions: versions.map(({ name, served = true, storage = false, required = [] }) => ({
      ...{ name, served, storage },
      schema: {
        openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', required: [...required] } } },
      },
    })),
  },
  status: { storedVersions: [...stored] },
});

type Definitions = NonNullable<ClusterServiceVersion['spec']['customresourcedefinitions']>;
const csv = (name: string, definitions: Definitions): ClusterServiceVersion => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name, namespace: 'lamps' },
  spec: { customresourcedefinitions: definitions },
});
const api = (version: string) => ({ name: 'lamps.example.com', version, kind: 'Lamp' });

const V1 = { name: 'v1', storage: true };
const lamp = { apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name: 'a', namespace: 'b' }, spec: {} };
const nothing: ReadonlyMap<string, readonly KubernetesObject[]> = new Map();

const free: ReturnFacts = {
  previous: 'lamp.v1.0.0',
  hasContent: true,
  definitions: [{ live: crd([V1], ['v1']), earlier: crd([V1]), instances: new Map([['v1', [lamp]]]) }],
  current: csv('lamp.v1.1.0', { owned: [api('v1')] }),
  earlier: csv('lamp.v1.0.0', { owned: [api('v1')] }),
  others: [],
  notUpgradeable: undefined,
};
const pair = (live: KubernetesObject, earlier: KubernetesObject, instances = nothing): Partial<ReturnFacts> => ({
  definitions: [{ live, earlier, instances }],
});
const both = crd([{ name: 'v1' }, { name: 'v2', storage: true }], ['v1', 'v2']);
const reasons = (change: Partial<ReturnFacts>) => checkReturn({ ...free, ...change }).map(({ reason }) => reason);

describe('whether a cluster can go back', () => {
  it('may where nothing stands against it', () => {
    expect(checkReturn(free)).toEqual([]);
  });

  it.each<readonly [string, Partial<ReturnFacts>, readonly string[]]>([
    ['a first install', { previous: null, hasContent: false }, ['NothingBefore']],
    [
      'a stored version that the earlier CRD lacks',
      pair(both, crd([V1])),
      ['StoredVersionRemoved', 'StorageVersionUnknown'],
    ],
    [
      'a storage version that the earlier CRD does not serve',
      pair(both, crd([V1, { name: 'v2', served: false }])),
      ['StorageVersionUnknown'],
    ],
    [
      'objects that the earlier schema refuses',
      pair(crd([V1], ['v1']), crd([{ ...V1, required: ['bulb'] }]), new Map([['v1', [lamp]]])),
      ['ObjectsDoNotFit'],
    ],
    [
      'objects that the earlier schema refuses, with a webhook in both',
      pair(crd([V1], ['v1'], true), crd([{ ...V1, required: ['bulb'] }], [], true), new Map([['v1', [lamp]]])),
      ['ObjectsDoNotFit'],
    ],
    ['a conversion that goes', pair(crd([V1], ['v1'], true), crd([V1])), ['ConversionLost']],
    [
      'objects that cannot be read',
      { definitions: [{ live: crd([V1], ['v1'], true), earlier: crd([V1], [], true), instances: undefined }] },
      ['ConversionLost'],
    ],
    [
      'an operator that needs the newer API',
      {
        current: csv('lamp.v1.1.0', { owned: [api('v1'), api('v2')] }),
        others: [csv('shade.v1.0.0', { required: [api('v2')] })],
      },
      ['NeededByOthers'],
    ],
    ['an operator that refuses to be replaced', { notUpgradeable: 'it migrates' }, ['NotUpgradeable']],
    ['content that is gone', { hasContent: false, definitions: [], earlier: undefined }, ['ContentGone']],
  ])('%s', (_, change, expected) => {
    expect(reasons(change)).toEqual(expected);
  });

  it('leaves an operator alone that needs what both versions provide', () => {
    expect(reasons({ others: [csv('shade.v1.0.0', { required: [api('v1')] })] })).toEqual([]);
  });

  it('says why the content is gone, where that is known', () => {
    const gone = { hasContent: false, definitions: [], earlier: undefined };
    const said = (whyGone?: string) => checkReturn({ ...free, ...gone, whyGone })[0]?.message;
    expect(said('CatalogSource olm/c does not offer it')).toBe('CatalogSource olm/c does not offer it');
    expect(said()).toContain('neither catalog nor registry');
  });

  it('says which object does not fit', () => {
    const change = pair(crd([V1], ['v1']), crd([{ ...V1, required: ['bulb'] }]), new Map([['v1', [lamp]]]));
    expect(checkReturn({ ...free, ...change })[0]?.message).toContain('"b/a"');
  });
});
