import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = new Map(
  readdirSync(join(ROOT, 'docs/spec'))
    .filter((file) => file !== 'README.md')
    .map((file) => [file, sectionsOf(readFileSync(join(ROOT, 'docs/spec', file), 'utf8'))]),
);

type Sections = Readonly<{ text: string; numbers: ReadonlySet<string> }>;

/** The numbers that a page can be cited by: its headings, and the items of numbered lists below them. */
function sectionsOf(text: string): Sections {
  const numbers = new Set<string>();
  let section = '';
  for (const line of text.split('\n')) {
    const heading = /^(#+) (\d+(?:\.\d+)*)?/.exec(line);
    // A sub-heading without a number belongs to the section above it.
    if (heading !== null && !(heading[2] === undefined && heading[1] === '###')) section = heading[2] ?? '';
    const item = /^ *(\d+)\. /.exec(line)?.[1];
    if (section !== '') numbers.add(section);
    if (item !== undefined) numbers.add(section === '' ? item : `${section}.${item}`);
  }
  return { text: text.toLowerCase().replace(/\s+/g, ' '), numbers };
}

/** A cited page, with the sections and quoted names that follow it. */
const CITATION = /\b([a-z0-9-]+\.md)((?:,?(?: and)? (?:§\d+(?:\.\d+)*|"[^"]+"))*)/g;

/** Returns citations of a text that the pages do not have. A comment's line breaks are spaces. */
function brokenCitations(text: string): string[] {
  const broken: string[] = [];
  for (const [, page = '', parts = ''] of text.replace(/\n\s*(\*|\/\/)\s?/g, ' ').matchAll(CITATION)) {
    const sections = PAGES.get(page);
    if (sections === undefined) continue;
    for (const [, number = ''] of parts.matchAll(/§([\d.]*\d)/g))
      if (!sections.numbers.has(number)) broken.push(`${page} §${number}`);
    for (const [, name = ''] of parts.matchAll(/"([^"]+)"/g))
      if (!sections.text.includes(name.toLowerCase())) broken.push(`${page} "${name}"`);
  }
  return broken;
}

/** Pages that a docstring cites as a specification, whether they exist or not. */
const citedPages = (text: string): string[] =>
  [...text.matchAll(/\b[Ss]pec: ([a-z0-9-]+\.md)/g)].flatMap(([, page]) => page ?? []);

const sources = execFileSync('git', ['ls-files', '-z', '--', 'apps', 'libs', 'test', 'bench', 'scripts'], { cwd: ROOT })
  .toString()
  .split('\0')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('spec-references.spec.ts'));

describe('citations of docs/spec in the source', () => {
  const texts = sources.flatMap((file) => {
    try {
      return [{ file, text: readFileSync(join(ROOT, file), 'utf8') }];
    } catch {
      return []; // deleted in the work tree, and not yet in the index
    }
  });

  it('finds citations at all', () => {
    expect(texts.flatMap(({ text }) => citedPages(text)).length).toBeGreaterThan(200);
  });

  it('names pages that exist', () => {
    const missing = texts.flatMap(({ file, text }) =>
      citedPages(text).flatMap((page) => (PAGES.has(page) ? [] : [`${file}: ${page}`])),
    );
    expect(missing).toEqual([]);
  });

  it('names sections that the pages have', () => {
    const broken = texts.flatMap(({ file, text }) => brokenCitations(text).map((citation) => `${file}: ${citation}`));
    expect(broken).toEqual([]);
  });

  it('notices a section that does not exist', () => {
    expect(brokenCitations('(spec: csv-lifecycle.md §3, §99)')).toEqual(['csv-lifecycle.md §99']);
    expect(brokenCitations('/** As v1-apply.md,\n * "No such name" says. */')).toEqual(['v1-apply.md "No such name"']);
  });
});
