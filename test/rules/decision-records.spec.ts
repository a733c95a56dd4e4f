import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { anchorsOf, type Citable, citationProblem, citationsOf } from '../../scripts/tables/citations.js';
import {
  type DecisionRecord,
  decisionIndex,
  RECORD_FILE,
  readMoved,
  readRecord,
  recordProblems,
} from '../../scripts/tables/decision-records.js';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const DECISIONS = 'docs/decisions';
const moved = readMoved(read(`${DECISIONS}/moved.md`));
const files = globSync('*.md', { cwd: join(PROJECT_ROOT, DECISIONS) }).filter((file) => RECORD_FILE.test(file));
const records = files.map((file) => readRecord(file, read(`${DECISIONS}/${file}`)));
const notes = new Map(
  globSync('docs/why/*.md', { cwd: PROJECT_ROOT }).map((path) => [basename(path), anchorsOf(read(path))]),
);
const accepted = new Set(records.filter(({ status }) => status === 'accepted').map(({ id }) => id));
const citable: Citable = { accepted, moved, notes };

/** Lists faults of the citations of a text, each with its file. */
const faultsOf = (file: string, text: string): readonly string[] =>
  citationsOf(text).flatMap((citation) => {
    const problem = citationProblem(citation, citable);
    return problem === undefined ? [] : [`${file}: ${problem}`];
  });

/** Lists lines that cite a record inside of a sentence: neither a line `Why: …` nor a footnote. */
const citedInside = (page: string): readonly string[] =>
  page
    .split('\n')
    .filter((line) => /\]\([^)]*(?:decisions|why)\/[^)]*\)|\b[Dd]ecisions? \d{4}\b/.test(line))
    .filter((line) => !/^(?:Why: |\[\^)/.test(line));

describe('decision records', () => {
  it('have front matter that fits the file, the heading and each other', () => {
    expect(recordProblems(records, moved)).toEqual([]);
    expect(records.length).toBeGreaterThan(90);
  });

  it('are in the index that "make tables" writes', () => {
    expect(read(`${DECISIONS}/README.md`)).toBe(decisionIndex(records));
  });

  it.each<{ fault: string; change: Partial<DecisionRecord>; problem: string }>([
    { fault: 'another number', change: { id: '0002' }, problem: 'id: the number of the file is expected' },
    { fault: 'another heading', change: { heading: 'B' }, problem: 'title: the heading of the page is expected' },
    { fault: 'no status', change: { status: '' }, problem: 'status: accepted or superseded' },
    { fault: 'no day', change: { date: 'today' }, problem: 'date: a day such as 2026-11-30 is expected' },
    { fault: 'an unknown area', change: { area: 'moon' }, problem: 'area: one of trust, ' },
    { fault: 'a stale successor', change: { status: 'superseded' }, problem: 'superseded-by: the record that holds' },
    { fault: 'an unknown part', change: { supersedes: ['0009'] }, problem: 'supersedes: unknown number' },
  ])('are refused with $fault', ({ change, problem }) => {
    const good = readRecord(
      '0001-a.md',
      '---\nid: 0001\ntitle: A\nstatus: accepted\ndate: 2026-11-30\narea: fleet\n---\n\n# A\n',
    );
    expect(recordProblems([good], new Map())).toEqual([]);
    expect(recordProblems([{ ...good, ...change }], new Map()).join()).toContain(problem);
  });

  it('are refused with the title of another', () => {
    const twice = records.slice(0, 2).map((record) => ({ ...record, title: 'T', heading: 'T' }));
    expect(recordProblems(twice, moved)).toContain(`${twice[0]?.file}: title: another record has it too`);
  });
});

describe('citations of decisions and of reasons', () => {
  const sources = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT_ROOT,
  })
    .toString()
    .split('\0')
    .filter((file) => /\.(?:tsx?|cjs|ya?ml|sh|acl)$|(?:^|\/)(?:Dockerfile|Makefile)$|^bin\//.test(file))
    .filter((file) => !/^test\/(?:vectors|rules\/decision-records)/.test(file));
  const texts = sources.flatMap((file) => {
    try {
      return [{ file, text: read(file) }];
    } catch {
      return []; // deleted in the work tree, and not yet in the index
    }
  });

  it('of the source lead to records that hold, and to headings of docs/why', () => {
    expect(texts.flatMap(({ text }) => citationsOf(text)).length).toBeGreaterThan(100);
    expect(texts.flatMap(({ file, text }) => faultsOf(file, text))).toEqual([]);
  });

  it.each(globSync(['*.md', '{docs,bench,test,libs,apps}/**/*.md'], { cwd: PROJECT_ROOT }))('of %s hold', (page) => {
    if (/^CHANGELOG|^docs\/decisions\/|vectors\//.test(page)) return;
    expect(faultsOf(page, read(page))).toEqual([]);
  });

  it.each(globSync('docs/*.md', { cwd: PROJECT_ROOT }))('of %s stand on a line of their own', (page) => {
    expect(citedInside(read(page))).toEqual([]);
  });

  it.each([
    { text: '// as decision 0102 says', problem: 'decision 0102 is now 0101-writers.md' },
    { text: '/** (design: fleet.md §1;\n * decisions 0101 and 0099) */', problem: 'decision 0099 does not exist' },
    { text: '/** (why:\n * classic.md "No such\n * heading") */', problem: 'has no heading "No such heading"' },
    { text: 'see why: moon.md', problem: 'docs/why/moon.md does not exist' },
    { text: '[0444](decisions/0444-x.md)', problem: 'decision 0444 is now 0166' },
  ])('are refused: $problem', ({ text, problem }) => {
    expect(faultsOf('f', text).join()).toContain(problem);
  });

  it('inside of a sentence are found', () => {
    expect(citedInside('Redis decides nothing ([0136](decisions/0136-x.md)).\nWhy: [A](why/a.md).')).toHaveLength(1);
  });
});
