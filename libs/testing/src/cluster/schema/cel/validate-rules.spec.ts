import { readdir, readFile } from 'node:fs/promises';
import { loadAll } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../objects/json.js';
import { SchemaNode } from '../schema-node.js';
import { compiledRule } from './compiled-rule.js';
import { brokenRules } from './validate-rules.js';

const CRDS = 'k8s/crds';

const rulesBelow = (value: unknown): JsonObject[] => {
  if (Array.isArray(value)) return value.flatMap(rulesBelow);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'x-kubernetes-validations' && Array.isArray(inner) ? inner.filter(isObject) : rulesBelow(inner),
  );
};

const text = { type: 'string' };
const integer = { type: 'integer' };
const withRules = (schema: JsonObject, ...rules: readonly (JsonObject | string)[]): JsonObject => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const check = (schema: JsonObject, self: unknown, old?: unknown) => {
  const { causes, warnings } = brokenRules(self, old, new SchemaNode(schema));
  return { causes: causes.map(({ field, message }) => `${field}: ${message}`), warnings };
};

describe('rules of CRDs', () => {
  let shipped: JsonObject[] = [];
  beforeAll(async () => {
    const files = (await readdir(CRDS)).filter((name) => name.endsWith('.yaml'));
    const texts = await Promise.all(files.map((name) => readFile(`${CRDS}/${name}`, 'utf8')));
    shipped = texts.flatMap((one) => rulesBelow(loadAll(one)));
  });

  it('every rule of the CRDs that Flotilla installs can be evaluated', () => {
    expect(shipped.length).toBeGreaterThan(30);
    expect(shipped.filter((rule) => compiledRule(rule) === undefined)).toEqual([]);
  });

  it.each([
    {
      because: 'a rule of the whole object stands at no field',
      schema: withRules(object({ a: integer, b: integer }), 'self.a < self.b'),
      self: { a: 2, b: 1 },
      says: ['<nil>: Invalid value: "object": failed rule: self.a < self.b'],
    },
    {
      because: 'the message of the rule, without the space around it',
      schema: object({ a: withRules(text, { rule: "self.matches('^x+$')", message: ' only x ' }) }),
      self: { a: 'y' },
      says: ['a: Invalid value: "string": only x'],
    },
    {
      because: 'a message that is computed',
      schema: object({ a: withRules(integer, { rule: 'self < 3', messageExpression: "'not ' + string(self)" }) }),
      self: { a: 5 },
      says: ['a: Invalid value: "integer": not 5'],
    },
    {
      because: 'reason and field path',
      schema: withRules(object({ a: text }), { rule: 'has(self.a)', reason: 'FieldValueRequired', fieldPath: '.a' }),
      self: {},
      says: ['a: Required value: failed rule: has(self.a)'],
    },
    {
      because: 'a field that is missing is an error of the rule',
      schema: withRules(object({ a: text }), "self.a == 'x'"),
      self: {},
      says: ['<nil>: Invalid value: "object": no such key: a evaluating rule: self.a == \'x\''],
    },
    {
      because: 'items and values of maps are named',
      schema: object({
        list: { type: 'array', items: withRules(integer, 'self > 0') },
        map: { type: 'object', additionalProperties: withRules(text, 'self.size() < 3') },
      }),
      self: { list: [1, 0], map: { a: 'long', b: 'x' } },
      says: [
        'list[1]: Invalid value: "integer": failed rule: self > 0',
        'map[a]: Invalid value: "string": failed rule: self.size() < 3',
      ],
    },
    {
      because: 'names that CEL does not take are escaped',
      schema: withRules(object({ namespace: text, 'x-y': text }), 'self.__namespace__ == self.x__dash__y'),
      self: { namespace: 'a', 'x-y': 'a' },
      says: [],
    },
    {
      because: 'functions that Kubernetes adds',
      schema: object({
        url: withRules(text, "isURL(self) && url(self).getScheme() == 'https' && url(self).getPort() == '8443'"),
        label: withRules(text, '!format.dns1123Label().validate(self).hasValue()'),
        image: withRules(text, "self.find('@.*$') == '@sha256:1' && self.findAll('[a-z]+').size() == 3"),
      }),
      self: { url: 'https://a:8443/b', label: 'a-b', image: 'a/b@sha256:1' },
      says: [],
    },
    {
      because: 'times are compared as times',
      schema: object({ at: withRules({ ...text, format: 'date-time' }, "self < timestamp('2026-01-01T00:00:00Z')") }),
      self: { at: '2026-02-01T00:00:00+01:00' },
      says: [expect.stringMatching(/^at: Invalid value: "string": failed rule/)],
    },
    {
      because: 'a pattern that backtracks for ever elsewhere',
      schema: object({ a: withRules(text, "self.matches('^(a+)+$')") }),
      self: { a: `${'a'.repeat(60)}!` },
      says: [expect.stringContaining('failed rule')],
    },
    {
      because: 'a rule that would take too long ends the check',
      schema: object({
        a: withRules({ type: 'array', items: integer }, 'self.all(x, self.all(y, self.all(z, x + y + z > 0)))'),
      }),
      self: { a: Array.from({ length: 1000 }, (_, index) => index + 1) },
      says: [expect.stringContaining('running out of cost budget')],
    },
  ])('$because', ({ schema, self, says }) => {
    expect(check(schema, self).causes).toEqual(says);
  });

  const immutable = withRules(text, { rule: 'self == oldSelf', message: 'is immutable' });

  it.each([
    { because: 'a new object has nothing to be compared with', self: { a: 'x' }, old: undefined, says: [] },
    { because: 'a field that is new', self: { a: 'x' }, old: {}, says: [] },
    { because: 'a field that stays', self: { a: 'x' }, old: { a: 'x' }, says: [] },
    {
      because: 'a field that changes',
      self: { a: 'y' },
      old: { a: 'x' },
      says: ['a: Invalid value: "string": is immutable'],
    },
    { because: 'a field that goes', self: {}, old: { a: 'x' }, says: [] },
  ])('transition rules: $because', ({ self, old, says }) => {
    expect(check(object({ a: immutable }), self, old).causes).toEqual(says);
  });

  it('items are compared with the ones of the same key, and not at all in a list without keys', () => {
    const items = object({ name: text, value: immutable });
    const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
    const old = [
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
    ];
    const self = [
      { name: 'b', value: '3' },
      { name: 'a', value: '1' },
    ];
    expect(check({ type: 'array', items, ...keyed }, self, old).causes).toEqual([
      '[0].value: Invalid value: "string": is immutable',
    ]);
    expect(check({ type: 'array', items }, self, old).causes).toEqual([]);
  });

  it('a rule may ask whether there was a value before', () => {
    const rule = { rule: "oldSelf.hasValue() || self == 'first'", optionalOldSelf: true };
    const schema = object({ a: withRules(text, rule) });
    expect(check(schema, { a: 'second' }).causes).toHaveLength(1);
    expect(check(schema, { a: 'first' }).causes).toEqual([]);
    expect(check(schema, { a: 'second' }, { a: 'first' }).causes).toEqual([]);
  });

  it('what was wrong before, and is not touched, is a warning', () => {
    const schema = object({ a: withRules(text, "self == 'x'"), b: text });
    expect(check(schema, { a: 'y', b: '2' }, { a: 'y', b: '1' })).toEqual({
      causes: [],
      warnings: ['a: Invalid value: "string": failed rule: self == \'x\''],
    });
    expect(check(schema, { a: 'z', b: '1' }, { a: 'y', b: '1' }).causes).toHaveLength(1);
  });
});
