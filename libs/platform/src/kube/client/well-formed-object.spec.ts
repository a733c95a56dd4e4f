import { describe, expect, it } from 'vitest';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { isWellFormedObject } from './well-formed-object.js';

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u', controller: true, blockOwnerDeletion: false };
const whole = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'a',
    generateName: 'a-',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
    deletionTimestamp: '2026-01-01T00:00:00Z',
    labels: { a: 'b' },
    annotations: {},
    finalizers: ['f'],
    ownerReferences: [owner],
    managedFields: [{ manager: 'm' }],
  },
  spec: { replicas: 1 },
};

/** What a field could be; the schema says of each whether it may. */
const VALUES: readonly unknown[] = [undefined, null, '', 'a', 0, 1.5, Infinity, true, [], ['a'], [1], [null], {}];
const OBJECTS: readonly unknown[] = [{ a: 'b' }, { a: 1 }, { a: null }, [owner], [{ ...owner, controller: 'yes' }]];

const withField = (field: string, value: unknown) => ({ ...whole, metadata: { ...whole.metadata, [field]: value } });
const withOwnerField = (field: string, value: unknown) => withField('ownerReferences', [{ ...owner, [field]: value }]);

const candidates: readonly unknown[] = [
  ...VALUES,
  ...VALUES.flatMap((value) =>
    ['apiVersion', 'kind', 'metadata', 'spec'].map((field) => ({ ...whole, [field]: value })),
  ),
  ...[...VALUES, ...OBJECTS].flatMap((value) => Object.keys(whole.metadata).map((field) => withField(field, value))),
  ...VALUES.flatMap((value) => Object.keys(owner).map((field) => withOwnerField(field, value))),
  JSON.parse('{"apiVersion":"v1","kind":"A","metadata":{},"__proto__":{"a":1}}'),
  JSON.parse('{"apiVersion":"v1","kind":"A","metadata":{"labels":{"__proto__":1}}}'),
];

const hasOddWriters = (value: unknown): boolean =>
  (value as typeof whole | null)?.metadata?.managedFields !== whole.metadata.managedFields;

describe('isWellFormedObject', () => {
  it('is true of no value that the schema refuses, but for records of writers, which only some read', () => {
    const own = candidates.filter((value) => !hasOddWriters(value));
    const wrong = own.filter((value) => isWellFormedObject(value) && !KubernetesObject.safeParse(value).success);
    expect(wrong).toEqual([]);
  });

  it('is true of every ordinary object that the schema takes', () => {
    const own = candidates.slice(0, -2);
    // The schema turns null, and what an owner leaves out, into what Go makes of it: those it decides itself.
    const unchanged = (value: unknown) => value !== undefined && KubernetesObject.safeParse(value).data === value;
    const missed = own.filter((value) => !isWellFormedObject(value) && unchanged(value));
    expect(missed).toEqual([]);
    expect(own.filter(isWellFormedObject).length).toBeGreaterThan(50);
  });

  it('leaves objects with a key __proto__ to the schema', () => {
    expect(candidates.slice(-2).map(isWellFormedObject)).toEqual([false, false]);
  });
});
