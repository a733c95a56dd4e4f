import { describe, expect, it } from 'vitest';
import { fieldErrorText } from './schema-errors.js';
import { schemaViolations } from './validate-custom-resource.js';

const errors = (schema: object, value: unknown): string[] => schemaViolations({ ...schema }, value).map(fieldErrorText);
const spec = (schema: object) => ({ type: 'object', properties: { spec: schema } });

describe('what a schema finds wrong with an object', () => {
  it.each<[why: string, schema: object, value: unknown, expected: string]>([
    [
      'a number above the maximum, in the words that OLM recorded',
      spec({ type: 'object', properties: { power: { type: 'integer', maximum: 5 } } }),
      { spec: { power: 7 } },
      '[].spec.power: Invalid value: 7: spec.power in body should be less than or equal to 5',
    ],
    [
      'a number at an exclusive limit',
      spec({ type: 'number', minimum: 1, exclusiveMinimum: true }),
      { spec: 1 },
      '[].spec: Invalid value: 1: spec in body should be greater than 1',
    ],
    [
      'not a multiple',
      spec({ type: 'integer', multipleOf: 4 }),
      { spec: 6 },
      '[].spec: Invalid value: 6: spec in body should be a multiple of 4',
    ],
    [
      'a field that became required',
      spec({ type: 'object', required: ['owner'] }),
      { spec: {} },
      '[].spec.owner: Required value',
    ],
    [
      'a type that changed',
      spec({ type: 'integer' }),
      { spec: 'seven' },
      '[].spec: Invalid value: "string": spec in body must be of type integer: "string"',
    ],
    [
      'null where nothing says nullable',
      spec({ type: 'string' }),
      { spec: null },
      '[].spec: Invalid value: "null": spec in body must be of type string: "null"',
    ],
    [
      'a choice that was taken away',
      spec({ type: 'string', enum: ['a', 'b'] }),
      { spec: 'c' },
      '[].spec: Unsupported value: "c": supported values: "a", "b"',
    ],
    [
      'a text that no longer matches',
      spec({ type: 'string', pattern: '^[a-z]+$' }),
      { spec: 'A1' },
      '[].spec: Invalid value: "A1": spec in body should match \'^[a-z]+$\'',
    ],
    [
      'a text too short, counted in characters and not in bytes',
      spec({ type: 'string', minLength: 2 }),
      { spec: '🛟' },
      '[].spec: Invalid value: "🛟": spec in body should be at least 2 chars long',
    ],
    [
      'a list too long',
      spec({ type: 'array', maxItems: 1 }),
      { spec: [1, 2] },
      '[].spec: Too many: 2: must have at most 1 items',
    ],
    [
      'an item deep inside a list',
      spec({ type: 'array', items: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } } }),
      { spec: [{ n: 1 }, { n: 0 }] },
      '[].spec[1].n: Invalid value: 0: spec[1].n in body should be greater than or equal to 1',
    ],
    [
      'a value of a map',
      spec({ type: 'object', additionalProperties: { type: 'string' } }),
      { spec: { any: 1 } },
      '[].spec.any: Invalid value: "integer": spec.any in body must be of type string: "integer"',
    ],
    [
      'duplicates in a set',
      spec({ type: 'array', uniqueItems: true }),
      {
        spec: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      },
      '[].spec: Invalid value: [{"a":1,"b":2},{"b":2,"a":1}]: spec in body shouldn\'t contain duplicates',
    ],
    [
      'none of several shapes',
      spec({ oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
      { spec: { a: 1, b: 1 } },
      '[].spec: Invalid value: {"a":1,"b":1}: spec in body must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [
      'a shape that is excluded',
      spec({ not: { required: ['a'] } }),
      { spec: { a: 1 } },
      '[].spec: Invalid value: {"a":1}: spec in body must not validate the schema (not)',
    ],
  ])('%s', (_why, schema, value, expected) => {
    expect(errors(schema, value)).toEqual([expected]);
  });

  it.each<[why: string, schema: object, value: unknown]>([
    ['an unknown field is pruned by the API server, not refused', spec({ type: 'object' }), { spec: { extra: 1 } }],
    ['null is fine where the schema says so', spec({ type: 'string', nullable: true }), { spec: null }],
    ['int-or-string takes both', spec({ 'x-kubernetes-int-or-string': true }), { spec: '10%' }],
    ['an integer is a number', spec({ type: 'number' }), { spec: 3 }],
    ['a pattern that cannot be judged here is passed over', spec({ type: 'string', pattern: '(?i)a' }), { spec: 'b' }],
    ['allOf parts that all hold', spec({ allOf: [{ minimum: 1 }, { maximum: 3 }] }), { spec: 2 }],
    ['a field named like an object method', spec({ type: 'object', properties: {} }), { spec: { toString: 1 } }],
  ])('nothing: %s', (_why, schema, value) => {
    expect(errors(schema, value)).toEqual([]);
  });

  it('ends on a value nested without end', () => {
    const schema: Record<string, unknown> = { type: 'object' };
    schema['additionalProperties'] = schema;
    let value: Record<string, unknown> = { broken: 1 };
    for (let depth = 0; depth < 100_000; depth += 1) value = { value };
    expect(errors(schema, value)).toEqual([]);
  });

  it('does not hang on a pattern that backtracks', () => {
    expect(errors(spec({ type: 'string', pattern: '^(a+)+$' }), { spec: `${'a'.repeat(4_000)}!` })).toHaveLength(1);
  });
});
