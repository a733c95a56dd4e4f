import { describe, expect, it } from 'vitest';
import { checkConstraint, parseOlmConstraint } from './olm-constraint.js';

const nested = (levels: number): unknown => {
  let value: unknown = { package: { packageName: 'harbor', versionRange: '>=1.0.0' } };
  for (let level = 0; level < levels; level++) value = { all: { constraints: [value] } };
  return value;
};

describe('constraints from outside', () => {
  it('may nest as deep as any sensible author nests them, and no deeper', () => {
    expect(checkConstraint(nested(200))).toBeUndefined();
    expect(checkConstraint(nested(201))).toEqual({ error: 'constraints nest deeper than 200 levels' });
  });
  it('are refused before anything walks through a hundred thousand levels', () => {
    expect(parseOlmConstraint(nested(100_000))).toEqual({
      error: 'parse olm.constraint: constraints nest deeper than 200 levels',
    });
  });
  it('are refused when they are longer than OLM takes, however flat', () => {
    const constraints = Array.from({ length: 200_000 }, () => ({
      package: { packageName: 'a', versionRange: '1.0.0' },
    }));
    expect(parseOlmConstraint({ any: { constraints } })).toEqual({
      error: 'parse olm.constraint: olm.constraint value is longer than 131072 bytes',
    });
  });
  it.each(['__proto__', 'constructor', 'toString'])('take %s for the unknown key that it is', (key) => {
    const value: unknown = JSON.parse(`{"${key}": {}}`);
    expect(checkConstraint(value)).toEqual({ error: `json: unknown field "${key}"` });
  });
});
