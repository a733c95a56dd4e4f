import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const departures = read('docs/differences-from-olm.md')
  .split('\n')
  .flatMap((line) => (line.startsWith('| ') ? [line.slice(2)] : []));
const vectors = new Set(readdirSync(join(PROJECT_ROOT, 'test/vectors/classic/cases')));
const recordings = new Set(readdirSync(join(PROJECT_ROOT, 'test/vectors/lifecycle/scenarios')));

type Spec = Readonly<{ text: string; heldBy: readonly string[] }>;
/** The files of a suite, with their specs. */
const filesOf = (page: string) =>
  read(page)
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [, name = '', count = ''] = /^(\S+), (\d+)$/m.exec(part) ?? [];
      const rows = part.split('\n').filter((line) => /^\| (?!what the spec checks)/.test(line));
      const specs = rows.map((line): Spec => {
        const [text = '', heldBy = ''] = line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, ''));
        return { text, heldBy: heldBy.split('<br>') };
      });
      return { name, count: Number(count), specs };
    });

/** True if a file of tests has this text between quotes. */
function hasTitle(path: string, title: string): boolean {
  const file = [`${path}.spec.ts`, `${path}.ts`].find((one) => existsSync(join(PROJECT_ROOT, one)));
  if (file === undefined) return false;
  const text = read(file);
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote}`));
}

/** True if the test, recording, vector or row that holds a spec exists. */
function holds(by: string): boolean {
  const [, what = '', name = '', title = ''] = /^(?:(recording|vector) )?`([^`]+)` ?(.*)$/.exec(by) ?? [];
  if (what === 'recording') return title === '' && recordings.has(name);
  if (what === 'vector') return title === '' && vectors.has(name);
  if (name !== '') return hasTitle(name, title);
  const [kind, reason] = by.split(/: (.*)/s);
  if (kind === 'departs') return departures.some((row) => row.startsWith(reason ?? '-'));
  return kind === 'not ours' && (reason ?? '').length > 10;
}

describe.each([
  { suite: 'OLM Classic', page: 'test/suites/olm-classic.md', count: 210 },
  { suite: 'OLM v1', page: 'test/suites/olm-v1.md', count: 58 },
])('the end-to-end suite of $suite ($page)', ({ page, count }) => {
  const files = filesOf(page);

  it('has a row for each of its specs', () => {
    expect(files.map(({ specs }) => specs.length)).toEqual(files.map((file) => file.count));
    expect(files.reduce((sum, file) => sum + file.count, 0)).toBe(count);
  });

  it.each(files)('$name is held by tests, recordings, vectors and departures that are there', ({ specs }) => {
    const broken = specs.flatMap(({ text, heldBy }) => heldBy.flatMap((by) => (holds(by) ? [] : [`${text}: ${by}`])));
    expect(broken).toEqual([]);
  });

  it('names no spec twice in a file', () => {
    for (const { name, specs } of files) expect(new Set(specs.map(({ text }) => text)).size, name).toBe(specs.length);
  });
});

describe('what holds a spec', () => {
  it('is noticed where its title, recording, vector or row is not there', () => {
    const lost = [
      '`test/rules/links` no such title',
      '`test/rules/no-such-file` title',
      'recording `none`',
      'vector `none`',
      'departs: no such row',
      'not ours: x',
      'anything else',
    ];
    expect(lost.filter(holds)).toEqual([]);
  });
});

describe('the scenarios of the end-to-end suite of OLM v1 (docs/spec/v1-scenarios.md)', () => {
  const FIRST_LAST = /(\d+)(?:–(\d+))?/g;
  const numbersIn = (text: string): number[] =>
    [...text.matchAll(FIRST_LAST)].flatMap(([, first, last = first]) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => Number(first) + at),
    );
  const listed = [...read('docs/spec/v1-scenarios.md').matchAll(/(?:^|[.] )(\d+(?:–\d+)?)\. /gm)].flatMap(
    ([, numbers = '']) => numbersIn(numbers),
  );
  const played = ['test/story', 'test/e2e'].flatMap((folder) =>
    readdirSync(join(PROJECT_ROOT, folder))
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [...read(`${folder}/${file}`).matchAll(/\bscenarios?:? ((?:\d+(?:, | and )?)+)/g)])
      .flatMap(([, numbers = '']) => numbersIn(numbers)),
  );

  it('are all played by a story that says so in its title', () => {
    expect(listed.length).toBeGreaterThan(30);
    expect(listed.filter((number) => !played.includes(number))).toEqual([]);
  });
});
