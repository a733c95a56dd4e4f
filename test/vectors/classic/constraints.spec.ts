import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Property } from '#core/catalog/model/catalog';
import { compileCelRule } from '#core/catalog/model/cel/cel-rule';
import { checkConstraint } from '#core/catalog/model/olm-constraint';

const read = (file: string): unknown => JSON.parse(readFileSync(new URL(`./${file}`, import.meta.url), 'utf8'));
const parsed = read('constraint-parse.json') as { text: string; ok: boolean }[];
const rules = read('cel.json') as { rule: string; compiles: boolean; result: boolean; properties: Property[] }[];

describe("olm.constraint values that OLM's parser takes", () => {
  it.each(parsed)('$text', ({ text, ok }) => {
    expect(accepted(text)).toBe(ok);
  });
});

function accepted(text: string): boolean {
  try {
    return checkConstraint(JSON.parse(text)) === undefined;
  } catch {
    return false;
  }
}

describe("CEL rules as OLM's resolver reads them", () => {
  it.each(rules)('$rule', ({ rule, compiles, result, properties }) => {
    const compiled = compileCelRule(rule);
    expect(!('error' in compiled)).toBe(compiles);
    if (!('error' in compiled)) expect(compiled.holds(properties)).toBe(result);
  });
});
