import { describe, expect, it } from 'vitest';
import type { Property } from '../catalog.js';
import { compileCelRule } from './cel-rule.js';

const holds = (source: string, properties: readonly Property[]): boolean => {
  const rule = compileCelRule(source);
  if ('error' in rule) throw new Error(rule.error);
  return rule.holds(properties);
};
const some = (count: number): Property[] => Array.from({ length: count }, (_, value) => ({ type: 'x', value }));

describe('CEL rules from outside', () => {
  it.each([
    { because: 'it is too long', rule: `true${' || true'.repeat(4000)}`, says: /longer than/ },
    { because: 'it has too many parts', rule: `true${' || true'.repeat(2000)}`, says: /failed to compile/ },
    { because: 'it nests too deep', rule: `${'('.repeat(500)}true${')'.repeat(500)}`, says: /failed to compile/ },
    {
      because: 'every addition doubles a text',
      rule: `['x']${'.map(a, a + a)'.repeat(17)}.all(a, a == '')`,
      says: /adds more than 16 times/,
    },
    { because: 'OLM has no such function', rule: "'A'.lowerAscii() == 'a'", says: /lowerAscii/ },
    { because: 'nor has it cel.bind', rule: 'cel.bind(x, true, x)', says: /bind/ },
    { because: 'its own name for matches is no function', rule: "'a'.matches_re2('a')", says: /matches_re2/ },
    { because: 'a pattern is a text', rule: "'a'.matches(1)", says: /'string.matches\(int\)'/ },
    { because: 'it is no yes or no', rule: 'size(properties)', says: /must have type Bool/ },
    {
      because: 'a value of a property has no type that a macro could walk through',
      rule: 'properties.exists(p, p.value.exists(v, true))',
      says: /expression of type 'any' cannot be range/,
    },
    {
      because: 'nor has it in a list',
      rule: 'properties.map(p, p.value).exists(v, v.all(w, true))',
      says: /expression of type 'any' cannot be range/,
    },
    {
      because: 'numbers of different types have no order',
      rule: 'size(properties) > 1.0',
      says: /no matching overload for '_>_' applied to '\(int, double\)'/,
    },
    {
      because: 'nor have they before the first macro',
      rule: 'size(properties) < 2.0 && [1].all(n, n > 0)',
      says: /no matching overload/,
    },
    {
      because: 'nor does a macro in has count',
      rule: 'has(properties[0].value) && size(properties) < 2.0',
      says: /no matching overload/,
    },
    {
      because: 'a choice within a choice needs brackets',
      rule: 'true ? true ? true : false : false',
      says: /mismatched input '\?' expecting ':'/,
    },
    {
      because: 'brackets around its question are not enough',
      rule: 'true ? (true) ? true : false : false',
      says: /mismatched input/,
    },
    { because: 'it is no CEL', rule: 'if (', says: /failed to compile/ },
  ])('are refused: $because', ({ rule, says }) => {
    expect(compileCelRule(rule)).toEqual({ error: expect.stringMatching(says) });
  });

  it.each([
    { because: 'a pattern that backtracks for ever elsewhere', rule: `'${'a'.repeat(40)}!'.matches('^(a+)+$')` },
    { because: 'a pattern that is none', rule: "'a'.matches('(')" },
    { because: 'look-ahead, which RE2 does not have', rule: "'a'.matches('(?=a)')" },
    { because: 'a pattern as long as the rule', rule: `'a'.matches('${'(a|b)'.repeat(300)}')` },
  ])('end, not met: $because', ({ rule }) => {
    expect(holds(rule, [])).toBe(false);
  });

  it.each([
    { because: 'part of a text is enough', rule: "properties.exists(p, p.type.matches('m.*v'))", met: true },
    { because: 'anchors hold', rule: "properties.exists(p, p.type.matches('^gvk$'))", met: false },
    { because: 'as a function', rule: "matches('olm.gvk', '[.]gvk$')", met: true },
    { because: 'a class of RE2', rule: "'v1beta1'.matches('^v[[:digit:]]+(alpha|beta)\\\\d$')", met: true },
    { because: 'has of an element', rule: 'has(properties[0].value) && !has(properties[0].value.x)', met: true },
    {
      because: 'has of an element, nested and twice',
      rule: "properties.exists(p, has([p][0].type)) && [[1]].all(x, has({'a': x}.a) && !has({'a': {'b': has({'c': 1}.c)}}.a.c))",
      met: true,
    },
    { because: 'has of a text', rule: '!has(properties[0].type.x)', met: true },
    { because: 'a choice in brackets', rule: 'true ? (true ? true : false) : false', met: true },
    { because: 'seconds of a time', rule: "int(timestamp('1970-01-01T00:01:00Z')) == 60", met: true },
    { because: 'a choice at the end', rule: 'false ? false : true ? true : false', met: true },
    {
      because: 'numbers of different types after the first macro, where OLM forgets to forbid it',
      rule: '[1].all(n, n > 0) && size(properties) < 2.0',
      met: true,
    },
    { because: 'numbers whose types are not known', rule: '[1, 2.5].exists(n, n > 2)', met: true },
    { because: 'has of an element that is not there', rule: 'has(properties[9].value)', met: false },
    {
      because: 'an order of bytes',
      rule: "b'a' < b'ab' && b'b' > b'ab' && b'a' <= b'a' && !(b'a' >= b'b')",
      met: true,
    },
    { because: 'an order of null, which is an error', rule: 'null <= null', met: false },
    { because: 'a duration against null', rule: "duration('1s') != null && !(null == duration('0s'))", met: true },
    { because: 'a time against null', rule: "timestamp('2020-01-01T00:00:00Z') != null", met: true },
    { because: 'macros three deep', rule: '[1].all(a, [1, 2].exists(b, [a].all(c, b > c)))', met: true },
    {
      because: 'properties against properties',
      rule: 'properties.all(p, properties.exists_one(q, q.type == p.type))',
      met: true,
    },
  ])('may use what OLM has: $because', ({ rule, met }) => {
    expect(holds(rule, [{ type: 'olm.gvk', value: {} }])).toBe(met);
  });

  it.each([
    { because: 'a map lacks it', value: { y: 1 }, met: true },
    { because: 'a map has it', value: { x: null }, met: false },
    { because: 'a text has no fields', value: 'x', met: true },
    { because: 'a list is asked for a field, which is an error', value: ['x'], met: false },
  ])('ask for a field: $because', ({ value, met }) => {
    const properties = [{ type: 'custom', value }];
    for (const rule of ['properties.all(p, !has(p.value.x))', '!has(properties[0].value.x)']) {
      expect(holds(rule, properties), rule).toBe(met);
    }
  });

  it('are not met by a bundle on whose properties they could take too long', () => {
    const nested = 'properties.all(a, properties.all(b, properties.all(c, true)))';
    expect([holds(nested, some(20)), holds(nested, some(1_000))]).toEqual([true, false]);
    const listed = [{ type: 'x', value: Array.from({ length: 5_000 }, () => 1) }];
    expect(holds('properties.all(p, dyn(p.value).all(a, dyn(p.value).all(b, a == b)))', listed)).toBe(false);
  });
});
