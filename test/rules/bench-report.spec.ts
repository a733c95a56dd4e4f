import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { BenchRun } from '../../bench/report/bench-run.js';
import { durationIn, readTables } from '../../bench/report/read-tables.js';
import { BENCHES, renderReport } from '../../bench/report/render-report.js';
import { headingSlug } from '../../scripts/site/heading-slug.js';

const PUBLISHED = join(PROJECT_ROOT, 'bench/published');
const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');

const run = (bench: string, output: string, more: Partial<BenchRun> = {}): BenchRun => ({
  ...{ bench, command: `node dist/bench/${bench}.js`, startedAt: '2026-01-01T10:00:00.000Z', seconds: 61.2 },
  ...{ load: [0.5, 1], exit: 0, output, error: '', ...more },
});

describe('the page of a benchmark', () => {
  const compared = [
    'a machine',
    '',
    '| work | | original: median [least–most] | Flotilla: median [least–most] | original ÷ Flotilla |',
    '| --- | --- | --- | --- | --- |',
    '| print | time | 40 ms [30 ms–50 ms] | 20 ms [10 ms–30 ms] | 2.00 × |',
    '|  | memory | 50 MiB [50 MiB–50 MiB] | 100 MiB [1 MiB–200 MiB] | 0.50 × |',
    '',
    'Not run: olm.',
    '',
  ].join('\n');
  const files = renderReport(
    [
      run('metas', 'm\n\n| q | p50 |\n| --- | --- |\n| a | 1.0 ms |\n| b | 2.0 s |\n| <c> | 3 ms, 4 ms |\n'),
      run('compare', compared),
      run('extension', '', { exit: 3, error: 'no catalog' }),
    ],
    '../README.md',
  );
  const page = files.get('README.md') ?? '';

  it('has a heading for each work, plots, raw data, and what was not run', () => {
    expect(page).toContain('### print\n\n| measure | original: median [least–most] |');
    expect(page).toContain('`node dist/bench/metas.js`, 2026-01-01 10:00 UTC in 61 s; load average 0.5');
    expect(page).toContain('Not part of this report: `catalogs`,');
    expect(page).toContain('It ended with exit code 3, so that what follows is not complete:\n\n```text\nno catalog');
    expect([...files.keys()].filter((name) => name.endsWith('.svg'))).toEqual([
      ...['compare-time.svg', 'compare-memory.svg', 'metas-1.svg'],
    ]);
    expect(BenchRun.parse(JSON.parse(files.get('raw/compare.json') ?? '')).output).toBe(compared);
    expect(page.indexOf('The original programs')).toBeLessThan(page.indexOf('Questions to a served'));
  });

  it('has plots that say what their bars are, with text of programs as text', () => {
    expect(files.get('compare-memory.svg')).toContain('>0.50 ×</text>');
    expect(files.get('compare-memory.svg')).toContain('class="theirs"');
    expect(files.get('metas-1.svg')).toContain('&lt;c&gt;');
    expect(files.get('metas-1.svg')).toContain('>3 ms</text>');
  });

  it('names bars by what a row is about, not by its other figures', () => {
    const rows = ['install', 'upgrade', 'rest'].map((what) => `| ${what} | – | 0.03 s | 1 s |`).join('\n');
    const output = `m\n\n| what | READY | made | done |\n| --- | --- | --- | --- |\n${rows}\n`;
    const svg = renderReport([run('lifecycle', output)], '').get('lifecycle-1.svg');
    expect(svg).toContain('<title>what: made</title>');
    expect(svg).toContain('>install</text>');
  });

  it('reads tables and durations as benches print them', () => {
    expect(readTables('a\n\n| b | c |\n|---|---|\n| 1 | x\\|y |\n\nd\n')).toEqual([
      { text: 'a' },
      { table: { headings: ['b', 'c'], rows: [['1', 'x\\|y']] } },
      { text: 'd' },
    ]);
    expect(['12 ms', '1.5 s, 3 s', '3 MiB', '–'].map(durationIn)).toEqual([12, 1_500, undefined, undefined]);
  });

  it('names every bench that there is, but those that need more', () => {
    const programs = readdirSync(join(PROJECT_ROOT, 'bench')).filter((name) => name.endsWith('.ts'));
    const benches = programs.map((name) => name.slice(0, -'.ts'.length)).sort();
    const others = ['baseline', 'machine', 'report', 'trust-cost'];
    expect(benches.filter((name) => !others.includes(name))).toEqual(Object.keys(BENCHES).sort());
  });
});

it('bench/published is what its raw data gives', () => {
  const raw = readdirSync(join(PUBLISHED, 'raw')).map((name) =>
    BenchRun.parse(JSON.parse(readFileSync(join(PUBLISHED, 'raw', name), 'utf8'))),
  );
  for (const [path, content] of renderReport(raw, '../README.md'))
    expect(readFileSync(join(PUBLISHED, path), 'utf8'), path).toBe(content);
});

/** Rows of a page about speed, with their links as the root of the project sees them. */
function claimsOf(page: string, part: string): readonly string[] {
  const place = posix.dirname(page);
  return part
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (work|---)/.test(line))
    .map((line) => line.replace(/\]\(([^)#]+)#/g, (_, path) => `](${posix.join(place, path)}#`));
}

describe('the claims of the pages about speed', () => {
  const [, part = ''] = /\n## Performance\n(.*?)\n## /s.exec(read('README.md')) ?? [];
  const rows = [...claimsOf('docs/performance.md', read('docs/performance.md')), ...claimsOf('README.md', part)];

  it('are found', () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  it.each(rows)('%s', (row) => {
    const links = [...row.matchAll(/\]\(([^)#]+)#([^)]+)\)/g)].map(([, file = '', anchor = '']) => ({ file, anchor }));
    expect(links.length, 'a link to what was measured').toBeGreaterThan(0);
    const measured = links.flatMap(({ file, anchor }) => quantitiesIn(sectionOf(read(posix.normalize(file)), anchor)));
    const [, , ...cells] = row.split('|');
    const strange = quantitiesIn(cells.join('|')).filter(
      (claim) => !measured.some(({ unit, value }) => unit === claim.unit && isRounded(claim.value, value)),
    );
    expect(strange).toEqual([]);
  });

  // A page that is written by hand has one heading for a table: there a line has all figures of a claim.
  const byHand = rows.filter((row) => row.includes('](bench/README.md#'));

  it.each(byHand)('one line of the section has the figures: %s', (row) => {
    const anchors = [...row.matchAll(/\]\(bench\/README\.md#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    const lines = anchors.flatMap((anchor) => sectionOf(read('bench/README.md'), anchor).split('\n'));
    const [, , ...cells] = row.split('|');
    const claims = cells.join('|').split(';').map(quantitiesIn);
    const without = claims.filter((claim) => !lines.some((line) => hasAll(quantitiesIn(line), claim)));
    expect(without).toEqual([]);
  });
});

/** A section up to the next heading of its level or above. */
function sectionOf(page: string, anchor: string): string {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && headingSlug(line.replace(/^#+ /, '')) === anchor);
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 0;
  const end = lines.findIndex((line, at) => at > start && new RegExp(`^#{1,${level}} `).test(line));
  return start < 0 ? '' : lines.slice(start, end < 0 ? undefined : end).join('\n');
}

const hasAll = (measured: readonly Quantity[], claim: readonly Quantity[]): boolean =>
  claim.every(({ unit, value }) => measured.some((one) => one.unit === unit && isRounded(value, one.value)));

type Quantity = Readonly<{ value: number; unit: string }>;

const quantitiesIn = (text: string): readonly Quantity[] =>
  [...text.matchAll(/(\d[\d.]*) (ms|s|MiB|×)(?![\w])/g)].map(([, value = '', unit = '']) =>
    unit === 's' ? { value: Number(value) * 1_000, unit: 'ms' } : { value: Number(value), unit },
  );

const ROUNDING = 0.05;
const isRounded = (claim: number, value: number): boolean => Math.abs(claim - value) <= ROUNDING * value;
