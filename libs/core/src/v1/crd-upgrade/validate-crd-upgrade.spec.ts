import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { validateCrdUpgrade, violationText } from './validate-crd-upgrade.js';

type Version = Readonly<{ served?: boolean; schema?: unknown }>;

const crd = (versions: Record<string, Version>, spec: object = {}): KubernetesObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.shop.example' },
  spec: {
    scope: 'Namespaced',
    ...spec,
    versions: Object.entries(versions).map(([name, { served = true, schema }]) => ({
      name,
      served,
      schema: { openAPIV3Schema: schema },
    })),
  },
});

const lines = (old: Record<string, Version>, next: Record<string, Version>, spec: object = {}): string[] =>
  validateCrdUpgrade(crd(old), crd(next, spec)).map(violationText);

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('one version against its successor', () => {
  it.each([
    {
      because: 'Go writes large floats with an exponent',
      old: { maximum: 2147483647, minimum: 0.5 },
      next: { maximum: 1000000, minimum: 100000 },
      says: ['maximum: maximum decreased : 2.147483647e+09 -> 1e+06', 'minimum: minimum increased : 0.5 -> 100000'],
    },
    {
      because: 'lengths are whole numbers, and are written so',
      old: {},
      next: { maxLength: 1000000 },
      says: ['maxLength: maximum constraint added when there was none previously : 1000000'],
    },
    {
      because: 'a schema that says nothing can gain a rule, too',
      old: {},
      next: { enum: [null, 'a'] },
      says: ['enum: enum constraint added when there was none previously : [ "a"]'],
    },
    {
      because: 'false, empty text and empty lists are as good as absent',
      old: { nullable: false, title: '', required: [] },
      next: {},
      says: [],
    },
    {
      because: 'fields that Kubernetes does not know are not there',
      old: { 'x-mine': 1 },
      next: { 'x-mine': 2 },
      says: [],
    },
    {
      because: 'a description inside additionalProperties changes the parent',
      old: { additionalProperties: { description: 'a' } },
      next: { additionalProperties: { description: 'b' } },
      says: ['unhandled: unhandled changes found (Description "a" -> "b")'],
    },
    {
      because: 'members of oneOf are the same when only their titles differ',
      old: { oneOf: [{ required: ['a'], title: 'x' }], minLength: 1 },
      next: { oneOf: [{ required: ['a'], title: 'y' }], minLength: 0 },
      says: [],
    },
    {
      because: 'a whole schema is not printed',
      old: {},
      next: { not: { required: ['a'] }, format: 'date' },
      says: ['unhandled: unhandled changes found (Format "" -> "date"; Not nil -> <complex value>)'],
    },
  ])('$because', ({ old, next, says }) => {
    const changed = lines({ v1: { schema: old } }, { v1: { schema: next } }).filter((line) =>
      line.startsWith('v1: ^: '),
    );
    expect(changed).toEqual(says.map((text) => `v1: ^: ${text}`));
  });

  it('names what is gone by its path, however deep', () => {
    const deep = object({
      __proto__x: { type: 'string' },
      list: { type: 'array', items: object({ a: { type: 'string' } }) },
    });
    const next = object({ __proto__x: { type: 'string' }, list: { type: 'array', items: object({}) } });
    expect(lines({ v1: { schema: deep } }, { v1: { schema: next } })).toEqual([
      'existingFieldRemoval: removed field : v1.^.list.items.a',
      'v1: ^.list.items.a: type: type changed : "string" -> ""',
    ]);
  });

  it('takes keys of prototypes for properties', () => {
    const withProto = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    ) as unknown;
    expect(lines({ v1: { schema: withProto } }, { v1: { schema: {} } })).toEqual([
      'existingFieldRemoval: removed field : v1.^.__proto__',
      'existingFieldRemoval: removed field : v1.^.constructor',
      'v1: ^.__proto__: type: type changed : "string" -> ""',
      'v1: ^.constructor: type: type changed : "string" -> ""',
    ]);
  });
});

describe('served versions against each other', () => {
  const loose = { schema: object({ a: { type: 'string' } }) };
  const strict = { schema: object({ a: { type: 'string', maxLength: 5 } }) };
  const complaint = 'a: maxLength: maximum constraint added when there was none previously : 5';

  it.each([
    {
      because: 'a new version must take what the older one takes',
      next: { v1: loose, v2: strict },
      says: [`v1 -> v2: ^.${complaint}`],
    },
    { because: 'the older one may be the stricter', next: { v1: loose, v1beta1: strict }, says: [] },
    {
      because: 'names of another form come first',
      next: { v1: strict, next: loose },
      says: [`next -> v1: ^.${complaint}`],
    },
    { because: 'v10 comes after v2', next: { v2: loose, v10: strict }, says: [`v2 -> v10: ^.${complaint}`] },
    { because: 'what is not served takes no part', next: { v1: loose, v2: { ...strict, served: false } }, says: [] },
    {
      because: 'a webhook converts',
      next: { v1: loose, v2: strict },
      spec: { conversion: { strategy: 'Webhook' } },
      says: [],
    },
  ])('$because', ({ next, spec, says }) => {
    expect(lines({}, next, spec)).toEqual(says);
  });

  it('may differ where they already did', () => {
    expect(lines({ v1: loose, v2: strict }, { v1: loose, v2: strict })).toEqual([]);
  });
});
