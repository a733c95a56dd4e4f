import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { checkCrdUpgrade, versionsToList } from './check-crd-upgrade.js';

type Version = Readonly<{ name: string; served?: boolean; max?: number }>;

const crd = (
  versions: readonly Version[],
  more: { stored?: string[]; webhook?: boolean; api?: string } = {},
): KubernetesObject => ({
  apiVersion: `apiextensions.k8s.io/${more.api ?? 'v1'}`,
  kind: 'CustomResourceDefinition',
  metadata: { name: 'tugs.port.example.com' },
  spec: {
    group: 'port.example.com',
    names: { kind: 'Tug', plural: 'tugs' },
    ...(more.webhook ? { conversion: { strategy: 'Webhook' } } : {}),
    versions: versions.map(({ name, served = true, max }) => ({
      name,
      served,
      storage: false,
      ...(max === undefined
        ? {}
        : { schema: { openAPIV3Schema: { properties: { power: { type: 'integer', maximum: max } } } } }),
    })),
  },
  ...(more.stored ? { status: { storedVersions: more.stored } } : {}),
});

const tug = (power: number, namespace: string | undefined = 'harbour'): KubernetesObject => ({
  apiVersion: 'port.example.com/v1',
  kind: 'Tug',
  metadata: { name: 'big', ...(namespace === '' ? {} : { namespace }) },
  power,
});

const restrictive =
  'error validating existing CRs against new CRD\'s schema for "tugs.port.example.com": error validating ' +
  'port.example.com/v1, Kind=Tug "harbour/big": updated validation is too restrictive: ' +
  '[].power: Invalid value: 7: power in body should be less than or equal to 5';

type Row = Readonly<{
  why: string;
  current: KubernetesObject;
  next: KubernetesObject;
  v1?: KubernetesObject[];
  owners?: string[];
  refusal?: string | undefined;
  warnings?: string[];
}>;

const rows: Row[] = [
  {
    why: 'nothing lost',
    current: crd([{ name: 'v1' }], { stored: ['v1'] }),
    next: crd([{ name: 'v1', max: 5 }]),
    v1: [tug(5)],
  },
  {
    why: 'an object that the new schema rejects',
    current: crd([{ name: 'v1' }]),
    next: crd([{ name: 'v1', max: 5 }]),
    v1: [tug(7)],
    refusal: restrictive,
  },
  {
    why: 'a cluster-scoped object is named without a slash',
    current: crd([{ name: 'v1' }]),
    next: crd([{ name: 'v1', max: 5 }]),
    v1: [tug(7, '')],
    refusal: restrictive.replace('harbour/big', 'big'),
  },
  {
    why: 'a webhook converts: only a warning',
    current: crd([{ name: 'v1' }]),
    next: crd([{ name: 'v1', max: 5 }], { webhook: true }),
    v1: [tug(7)],
    warnings: [restrictive],
  },
  {
    why: 'the webhook excuse does not hold for the old API',
    current: crd([{ name: 'v1' }]),
    next: crd([{ name: 'v1', max: 5 }], { webhook: true, api: 'v1beta1' }),
    v1: [tug(7)],
    refusal: restrictive,
  },
  {
    why: 'a version that is unserved in the new CRD is not judged: the first step of a removal',
    current: crd([{ name: 'v1' }, { name: 'v2' }]),
    next: crd([{ name: 'v1', served: false, max: 5 }, { name: 'v2' }]),
    v1: [tug(7)],
  },
  {
    why: 'a stored version would vanish',
    current: crd([{ name: 'v1', served: false }, { name: 'v2' }], { stored: ['v1', 'v2'] }),
    next: crd([{ name: 'v2' }]),
    refusal:
      'risk of data loss updating "tugs.port.example.com": new CRD removes version v1 that is listed as a stored version on the existing CRD',
  },
  {
    why: 'no versions at all',
    current: crd([{ name: 'v1' }]),
    next: crd([]),
    refusal:
      'checking CRD for potential data loss updating "tugs.port.example.com": could not find any versions in the new CRD',
  },
  {
    why: "a served version with objects is not removed outright (the user's document)",
    current: crd([{ name: 'v1' }], { stored: ['v2'] }),
    next: crd([{ name: 'v2' }]),
    v1: [tug(1), tug(2)],
    refusal:
      'new CRD "tugs.port.example.com" removes version v1 that is still served and has 2 existing objects: ' +
      'first install a version of the operator that keeps v1 with served: false',
  },
  {
    why: 'nor one that another operator came with',
    current: crd([{ name: 'v1' }], { stored: ['v2'] }),
    next: crd([{ name: 'v2' }]),
    owners: ['docks/tugboat.v1'],
    refusal:
      'new CRD "tugs.port.example.com" removes version v1 that is still served and has other operators that came with it: ' +
      'docks/tugboat.v1: first install a version of the operator that keeps v1 with served: false',
  },
  {
    why: 'an unused version that only this operator has may go',
    current: crd([{ name: 'v1' }], { stored: ['v2'] }),
    next: crd([{ name: 'v2' }]),
  },
];

describe('replacing a CRD', () => {
  it.each(rows)('$why', ({ current, next, v1 = [], owners = [], refusal, warnings = [] }) => {
    const verdict = checkCrdUpgrade({ current, next, instances: new Map([['v1', v1]]), otherOwners: owners });
    expect(verdict).toEqual({ ...(refusal === undefined ? {} : { refusal }), warnings });
  });

  it('lists objects in every version that stays served, and in a removed one only where none stays', () => {
    const [one, two] = [{ name: 'v1' }, { name: 'v2' }];
    expect(versionsToList(crd([one, two]), crd([one, two]))).toEqual(['v1', 'v2']);
    expect(versionsToList(crd([one, two]), crd([two]))).toEqual(['v2']);
    expect(versionsToList(crd([one]), crd([two]))).toEqual(['v1']);
  });

  it('reads the single version of the old API', () => {
    const old = { ...crd([]), spec: { group: 'port.example.com', version: 'v1', names: { kind: 'Tug' } } };
    expect(versionsToList(old, crd([{ name: 'v1' }]))).toEqual(['v1']);
  });
});
