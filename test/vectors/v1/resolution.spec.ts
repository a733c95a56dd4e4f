import { describe, expect, it } from 'vitest';
import { answerV1 } from '../../../apps/cli/src/resolution/v1-answer.js';
import { V1Case } from '../../../apps/cli/src/resolution/v1-case.js';
import { readRows } from './read-rows.js';

type Row = Readonly<{ name: string; about?: string; expected: Readonly<Record<string, unknown>> }>;

// Where conditions depend on the order of the catalogs, none are recorded, and neither is the installed bundle.
const comparable = (answer: Record<string, unknown>, expected: Row['expected']): Record<string, unknown> => {
  const { name: _name, conditions, statusInstallBundle, ...rest } = answer;
  if (!('conditions' in expected)) return rest;
  return { ...rest, conditions, ...(statusInstallBundle === undefined ? {} : { statusInstallBundle }) };
};

describe.each(['resolve-named.jsonl', 'resolve-random.jsonl'])("OLM v1's recorded resolutions: %s", (file) => {
  it.each(readRows<Row>(file))('$name $about', (row) => {
    const answer = answerV1(V1Case.parse(row));
    expect(comparable(answer, row.expected)).toEqual(row.expected);
  });
});
