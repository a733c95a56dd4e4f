import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyResolution } from '#core/classic/resolution/verify/verify-resolution';
import { needing, PUBLIC_DATA, publicData } from '#testing/report/needs';
import {
  answerClassic,
  type CatalogFinder,
  resolveClassic,
} from '../../../apps/cli/src/commands/resolve/classic-answer.js';
import { CatalogShelf } from '../../../apps/cli/src/resolution/catalog-shelf.js';
import { ClassicCase } from '../../../apps/cli/src/resolution/classic-case.js';

type Bundle = Readonly<Record<string, string>>;
type Outcome = Readonly<{
  result: string;
  chosen?: readonly Bundle[];
  subscriptionsCreated?: readonly (string | Readonly<Record<string, string>>)[];
  subscriptionsUpdated?: readonly unknown[];
  messages?: readonly string[];
}>;
type Expected = Outcome & Readonly<{ alternatives?: readonly Outcome[] }>;
type Row = Readonly<{ id: string; question: ClassicCase; expected: Expected; folder: string }>;

const here = fileURLToPath(new URL('.', import.meta.url));
const publicCatalogs = join(PUBLIC_DATA, 'data/catalogs');

const lines = (file: string): Row[] =>
  readFileSync(join(here, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => row(JSON.parse(line), (JSON.parse(line) as { expected: Expected }).expected, here));

const row = (question: unknown, expected: Expected, folder: string): Row => {
  const parsed = ClassicCase.parse(question);
  return { id: parsed.id, question: parsed, expected, folder };
};

const folders = (): Row[] =>
  readdirSync(join(here, 'cases')).map((id) => {
    const folder = join(here, 'cases', id);
    const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return row(read('case.json'), read('expected.json') as Expected, folder);
  });

const shelf = new CatalogShelf();

const catalogOf =
  ({ folder }: Row): CatalogFinder =>
  ({ dir, ref }) =>
    dir === undefined ? shelf.index(publicCatalogs, ref ?? '') : shelf.index(folder, dir);

const answer = (row: Row) =>
  answerClassic(row.question, catalogOf(row)) as Promise<unknown> as Promise<Outcome & { message?: string }>;

/** Why the applier would refuse the resolver's own answer, if that is a solution. */
async function refusalOf(row: Row): Promise<string | undefined> {
  const { problem, resolution, record } = await resolveClassic(row.question, catalogOf(row));
  return resolution.result === 'resolved' ? verifyResolution(problem, record, resolution) : undefined;
}

/** Whole objects where OLM's answer has them, else names. */
const madeBy = (outcome: Outcome, whole: boolean) =>
  outcome.subscriptionsCreated?.map((made) => (whole || typeof made === 'string' ? made : made['name']));

/** What counts, and by default everything that OLM's answer tells. */
const reported = (outcome: Outcome, strictly: boolean, whole = false) => ({
  result: outcome.result,
  chosen: outcome.chosen?.map(({ name, catalog, catalogNamespace, channel, replaces, startingCSV }) => ({
    name,
    catalog,
    catalogNamespace,
    channel,
    ...(strictly ? { replaces, startingCSV } : {}),
  })),
  ...(strictly && outcome.result === 'resolved'
    ? {
        created: madeBy(outcome, whole),
        updated: outcome.subscriptionsUpdated,
      }
    : {}),
});

describe.each([
  { of: 'hand-picked cases', rows: folders() },
  { of: 'random cases', rows: lines('fuzz.jsonl') },
  { of: 'random cases that vary in OLM', rows: lines('fuzz-varies.jsonl') },
  { of: 'real upgrade graphs', rows: lines('graph.jsonl') },
])("OLM's answers: $of", ({ rows }) => {
  it.each(rows)('$id', async (question) => {
    const { expected } = question;
    const actual = await answer(question);
    if (expected.alternatives === undefined) {
      const whole = expected.subscriptionsCreated?.some((made) => typeof made !== 'string');
      return expect(reported(actual, true, whole)).toEqual(reported(expected, true, whole));
    }
    expect(expected.alternatives.map((alternative) => reported(alternative, false))).toContainEqual(
      reported(actual, false),
    );
  });

  it('are taken by the check of the applier', async () => {
    for (const row of rows) expect(await refusalOf(row), row.id).toBeUndefined();
  });
});

describe("OLM's messages in the hand-picked cases", () => {
  const withOneMessage = folders().filter(({ expected }) => expected.messages?.length === 1);
  it.each(withOneMessage)('$id', async (question) => {
    expect((await answer(question)).message).toBe(question.expected.messages?.[0]);
  });
});

describe('the same question in another order', () => {
  const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);
  const rows = [...lines('fuzz.jsonl'), ...lines('fuzz-varies.jsonl')];
  const shuffled = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });
  const inAnyOrder = (question: ClassicCase): fc.Arbitrary<ClassicCase> =>
    fc
      .tuple(
        shuffled(question.objects),
        shuffled(question.catalogs).chain((catalogs) =>
          fc.tuple(...catalogs.map((one) => shuffled(one.fbc ?? []).map((fbc) => ({ ...one, fbc })))),
        ),
      )
      .map(([objects, catalogs]) => ({ ...question, objects, catalogs }));
  const find = () => Promise.reject(new Error('these cases carry their catalogs'));

  it(`has the same answer (FLOTILLA_TEST_SEED=${seed})`, async () => {
    const pairs = fc
      .constantFrom(...rows)
      .chain((one) => fc.tuple(fc.constant(one.question), inAnyOrder(one.question)));
    await fc.assert(
      fc.asyncProperty(pairs, async ([question, other]) => {
        const healthy = { ...question, catalogs: question.catalogs.filter(({ unhealthy }) => !unhealthy) };
        const alike = { ...other, catalogs: other.catalogs.filter(({ unhealthy }) => !unhealthy) };
        expect(await answerClassic(alike, find)).toEqual(await answerClassic(healthy, find));
      }),
      { seed, numRuns: 30 },
    );
  });
});

describe("OLM's answers on public catalogs", () => {
  const rows = lines('real.jsonl');
  for (const question of rows) {
    const refs = question.question.catalogs.flatMap(({ ref }) => (ref === undefined ? [] : [`data/catalogs/${ref}`]));
    it(question.id, needing(publicData(...refs)), async () => {
      expect(reported(await answer(question), true)).toEqual(reported(question.expected, true));
      expect(await refusalOf(question)).toBeUndefined();
    });
  }
});
