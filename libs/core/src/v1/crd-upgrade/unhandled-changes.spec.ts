import { describe, expect, it } from 'vitest';
import { validateCrdUpgrade, violationText } from './validate-crd-upgrade.js';

const crd = (versions: Readonly<Record<string, object>>) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.shop.example' },
  spec: {
    scope: 'Namespaced',
    versions: Object.entries(versions).map(([name, spec]) => ({
      name,
      served: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    })),
  },
});

const lines = (old: Readonly<Record<string, object>>, next: Readonly<Record<string, object>>): string[] =>
  validateCrdUpgrade(crd(old), crd(next)).map(violationText);

/** What operator-controller v1.11.0 prints of the same two CRDs. */
describe('changes that no check judges, in the words of OLM v1', () => {
  const rule = (text: string) => ({ 'x-kubernetes-validations': [{ rule: text, message: 'm' }] });
  const longRule = 'self.replicas >= 1 && self.replicas <= 10 || has(self.shade)';
  const lined = (end: string) => ({ title: `one\ntwo\nthree\nfour\nfive\nsix: ${end}\n` });

  it.each([
    {
      because: 'lists and their elements are written as in Go',
      old: { format: 'date' },
      next: { format: 'date-time', 'x-kubernetes-validations': [{ rule: 'self > 0' }] },
      says: ['(Format "date" -> "date-time"; XValidations nil -> ValidationRules{{Rule: "self > 0"}})'],
    },
    { because: 'of two long texts nothing is told', old: rule(longRule), next: rule(`${longRule} `), says: [''] },
    { because: 'of long texts in lines the line is', old: lined('6'), next: lined('7'), says: ['(six 6 -> 7)'] },
    { because: 'nor of two JSON values', old: { example: [1, 2, 3, 4] }, next: { example: [1, 2, 3, 5] }, says: [''] },
    {
      because: 'pointers are written by their own method',
      old: { example: 'c', externalDocs: { url: 'u' } },
      next: { title: 'x', multipleOf: 1_000_000 },
      says: [
        '(Title "" -> "x"; MultipleOf nil -> &1e+06; ExternalDocs s"&ExternalDocumentation{Description:,URL:u,}" -> nil; Example s"&JSON{Raw:*[34 99 34],}" -> nil)',
      ],
    },
    {
      because: 'maps are told by what changed in them',
      old: { patternProperties: { a: { format: 'x' } } },
      next: { patternProperties: { a: { format: 'y' }, b: { type: 'array' } } },
      says: ['(Format "x" -> "y"; "b" <empty> -> {Type: "array"})', '[a] (Format "x" -> "y")'],
    },
    {
      because: 'lists by the elements that changed',
      old: { allOf: [{ type: 'string' }, { format: 'a' }] },
      next: { allOf: [{ type: 'string' }, { format: 'b' }, { title: 'z' }] },
      says: ['(Format "a" -> "b"; {Title <empty> -> "z"})', '[1] (Format "a" -> "b")'],
    },
    {
      because: 'a schema that takes the place of yes is a whole value',
      old: { additionalProperties: true, dependencies: { a: ['b'] } },
      next: { additionalProperties: { type: 'string' }, dependencies: { a: { type: 'string' } } },
      says: ['(Schema nil -> <complex value>; Property []string{"b"} -> nil)'],
    },
  ])('$because', ({ old, next, says }) => {
    const reported = lines({ v1: old }, { v1: next })
      .filter((line) => line.includes(': unhandled: '))
      .map((line) => line.replace(/^v1: \^\.spec(.*?): unhandled: unhandled changes found ?/, '$1 '))
      .map((line) => line.replace(/^\.(allOf|patternProperties)/, '').trim());
    expect(reported.sort()).toEqual([...says].sort());
  });

  it('escapes in JSON what HTML gives a meaning', () => {
    expect(lines({ v1: { default: 'a > b' } }, { v1: {} })).toEqual([
      'v1: ^.spec: default: default value removed : "\\"a \\\\u003e b\\""',
    ]);
  });
});

describe('changes between served versions', () => {
  const old = { type: 'object' };
  const within = (type: string) => ({
    type: 'object',
    allOf: [{ properties: { a: { properties: { b: { type } } } } }, { not: { title: 'x' } }],
  });

  it('are taken for those there were when a diff that leaves out details reads the same', () => {
    expect(lines({ v1: old, v2: within('string') }, { v1: old, v2: within('integer') })).toEqual([
      'v2: ^.spec.allOf[0].a.b: type: type changed : "string" -> "integer"',
      'v2: ^.spec: unhandled: unhandled changes found (Type "string" -> "integer")',
    ]);
  });

  it('are new when the diff shows it', () => {
    const format = (text: string) => ({ type: 'object', format: text });
    expect(lines({ v1: old, v2: format('a') }, { v1: old, v2: format('b') })).toEqual([
      'v1 -> v2: ^.spec: unhandled: unhandled changes found (Format "" -> "b")',
      'v2: ^.spec: unhandled: unhandled changes found (Format "a" -> "b")',
    ]);
  });

  it('are not new because of the order in which required fields are listed', () => {
    const next = { v1: old, v2: { type: 'object', required: ['c', 'a', 'b'] } };
    expect(lines({ v1: old, v2: { type: 'object', required: ['b', 'c', 'a'] } }, next)).toEqual([]);
  });

  it('are found in a schema that nests deep, in time', () => {
    const nested = (depth: number, format: string): object =>
      depth === 0 ? { format } : { allOf: [nested(depth - 1, format), { title: 'x' }] };
    expect(lines({ v1: nested(40, 'a') }, { v1: nested(40, 'b') })).toHaveLength(41);
  });
});
