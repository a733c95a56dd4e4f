import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { checkCrdUpgrade, versionsToList } from './check-crd-upgrade.js';
import type { StoredVersionMigration } from './stored-versions.js';

type Version = Readonly<{ name: string; served?: boolean; storage?: boolean; max?: number }>;

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
    versions: versions.map(({ name, served = true, storage = false, max }) => ({
      name,
      served,
      storage,
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

const TRUSTED = `Validation of existing CRs against the new CRD's schema failed, but a webhook conversion strategy was specified in the new CRD.
The new webhook will only start after the bundle is upgraded, so we must assume that it will successfully convert existing CRs to a format that would have passed validation.

CRD: "tugs.port.example.com"
Validation Error: ${restrictive.slice(restrictive.indexOf('error validating port'))}
`;

type Row = Readonly<{
  why: string;
  current: KubernetesObject;
  next: KubernetesObject;
  v1?: KubernetesObject[];
  owners?: string[];
  refusal?: string | undefined;
  advice?: string;
  warnings?: string[];
  /** The group asks for stored objects to be rewritten. */
  migrate?: true;
  migration?: StoredVersionMigration;
}>;

const risk =
  'risk of data loss updating "tugs.port.example.com": new CRD removes version v1 that is listed as a stored version on the existing CRD';

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
    warnings: [TRUSTED],
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
    why: 'a stored version would vanish: in OLM’s words, and beside them the way out',
    current: crd(
      [
        { name: 'v1', served: false },
        { name: 'v2', storage: true },
      ],
      { stored: ['v1', 'v2'] },
    ),
    next: crd([{ name: 'v2' }]),
    refusal: risk,
    advice: `To remove it, set annotation flotilla.dev/migrate-stored-versions: "true" on the OperatorGroup: every Tug is then rewritten in v2, and v1 leaves status.storedVersions; this plan then continues`,
  },
  {
    why: 'the group asks for it: objects are rewritten first',
    current: crd(
      [
        { name: 'v1', served: false },
        { name: 'v2', storage: true },
      ],
      { stored: ['v1', 'v2'] },
    ),
    next: crd([{ name: 'v2' }]),
    migrate: true,
    migration: { kind: 'Tug', leaving: ['v1'], storage: 'v2', through: 'v2' },
  },
  {
    why: 'the storage version is not served: objects are rewritten through one that is',
    current: crd([{ name: 'v1', served: false }, { name: 'v2', served: false, storage: true }, { name: 'v3' }], {
      stored: ['v1', 'v2'],
    }),
    next: crd([{ name: 'v2' }, { name: 'v3' }]),
    migrate: true,
    migration: { kind: 'Tug', leaving: ['v1'], storage: 'v2', through: 'v3' },
  },
  {
    why: 'nothing is served, so nothing can be rewritten',
    current: crd(
      [
        { name: 'v1', served: false },
        { name: 'v2', served: false, storage: true },
      ],
      { stored: ['v1', 'v2'] },
    ),
    next: crd([{ name: 'v2' }]),
    migrate: true,
    refusal: `${risk}. None of its versions is served, so its objects cannot be rewritten: first serve v2`,
  },
  {
    why: 'the lost version is the one in which objects are stored: step two of the removal is missing',
    current: crd([{ name: 'v1', served: false, storage: true }, { name: 'v2' }], { stored: ['v1'] }),
    next: crd([{ name: 'v2', storage: true }]),
    migrate: true,
    refusal: `${risk}. Objects are still stored in v1: first install a version of the operator with a CRD that stores another version and keeps v1 with served: false`,
  },
  {
    why: 'the same where nobody asked for the migration',
    current: crd([{ name: 'v1', storage: true }], { stored: ['v1'] }),
    next: crd([{ name: 'v2', storage: true }]),
    refusal: risk,
    advice:
      'Objects are still stored in v1: first install a version of the operator with a CRD that stores another version and keeps v1 with served: false',
  },
  {
    why: 'a schema that rejects an object is told before anything is rewritten',
    current: crd(
      [
        { name: 'v0', served: false },
        { name: 'v1', storage: true },
      ],
      { stored: ['v0', 'v1'] },
    ),
    next: crd([{ name: 'v1', storage: true, max: 5 }]),
    v1: [tug(7)],
    migrate: true,
    refusal: restrictive,
  },
  {
    why: 'a served version with objects is not removed even where stored ones may be rewritten',
    current: crd([{ name: 'v1' }, { name: 'v2', storage: true }], { stored: ['v1', 'v2'] }),
    next: crd([{ name: 'v2', storage: true }]),
    v1: [tug(1)],
    migrate: true,
    refusal:
      'new CRD "tugs.port.example.com" removes version v1 that is still served and has 1 existing object: ' +
      'first install a version of the operator that keeps v1 with served: false',
  },
  {
    why: 'no versions at all',
    current: crd([{ name: 'v1' }]),
    next: crd([]),
    refusal:
      'checking CRD for potential data loss updating "tugs.port.example.com": could not find any versions in the new CRD',
  },
  {
    why: 'a served version with objects is not removed outright, which OLM would do',
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
  it.each(rows)('$why', ({ current, next, v1 = [], owners = [], refusal, warnings = [], ...row }) => {
    const verdict = checkCrdUpgrade({
      current,
      next,
      instances: new Map([['v1', v1]]),
      otherOwners: owners,
      migrate: row.migrate ?? false,
    });
    const { migration, advice } = row;
    expect(verdict).toEqual({
      warnings,
      ...(refusal === undefined ? {} : { refusal }),
      ...(advice === undefined ? {} : { advice }),
      ...(migration && { migration }),
    });
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
