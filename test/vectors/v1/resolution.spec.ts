import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerV1 } from '../../../apps/cli/src/commands/resolve/v1-answer.js';
import { V1Case } from '../../../apps/cli/src/commands/resolve/v1-case.js';
import { readRows } from './read-rows.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);

type Row = Readonly<{ name: string; about?: string; expected: Readonly<Record<string, unknown>> }>;

// Where conditions depend on the order of the catalogs, none are recorded, and neither
// is the installed bundle.
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

describe(`the order of catalogs, blobs and entries changes no answer (FLOTILLA_TEST_SEED=${seed})`, () => {
  it.each(['resolve-named.jsonl', 'resolve-random.jsonl'])('%s', (file) => {
    const rows = readRows<Row & V1Case>(file);
    fc.assert(
      fc.property(fc.constantFrom(...rows), fc.infiniteStream(fc.nat()), (row, numbers) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((item) => ({ item, at: Number(numbers.next().value) }))
            .sort((a, b) => a.at - b.at)
            .map(({ item }) => item);
        const catalogs = shuffled(row.catalogs).map((catalog) => ({
          ...catalog,
          metas: shuffled(catalog.metas).map((blob) =>
            Array.isArray(blob['entries']) && blob['schema'] === 'olm.channel'
              ? { ...blob, entries: shuffled(blob['entries']) }
              : blob,
          ),
        }));
        expect(comparable(answerV1(V1Case.parse({ ...row, catalogs })), row.expected)).toEqual(row.expected);
      }),
      { seed, numRuns: 200 },
    );
  });
});
