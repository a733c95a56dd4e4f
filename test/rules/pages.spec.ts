import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

const read = (page: string): string => readFileSync(join(PROJECT_ROOT, page), 'utf8');
const PAGES = globSync('docs/*.md', { cwd: PROJECT_ROOT }).sort();
const KIND = /^# .+\n\n\*\*(Tutorial|How-to|Explanation|Reference)\.\*\* /;

/**
 * Pages to look up, without a limit of words: tables from code, tables that a test holds, and lists of
 * values. A page that explains or gives steps does not become a reference to be longer.
 */
const REFERENCES = [
  ...['applier-rights', 'attacks', 'catalog-mistakes', 'catalog-status', 'cloud-logins', 'command', 'command-json'],
  ...['command-offline', 'command-status', 'console-rights', 'crd-changes', 'dependencies', 'differences-from-olm'],
  ...['foreign-bytes', 'glossary', 'health', 'metrics', 'opm', 'performance', 'release-files', 'secrets', 'settings'],
  ...['sizing-figures', 'stopped-installs', 'supply-chain'],
].map((name) => `docs/${name}.md`);

const MOST_WORDS = 1500;
const MOST_WORDS_TOGETHER = 40_000;

const kindOf = (text: string): string | undefined => KIND.exec(text)?.[1];
const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

/** Faults of a page: no kind below its title, or more words than a reader takes at once. */
function faultsOf(text: string): string[] {
  const kind = kindOf(text);
  if (kind === undefined) return ['no kind below the title'];
  const words = wordsOf(text);
  return kind !== 'Reference' && words > MOST_WORDS ? [`${words} words`] : [];
}

describe('a page of docs', () => {
  it.each(PAGES)('%s names its kind, and is no longer than a reader takes', (page) => {
    expect(faultsOf(read(page))).toEqual([]);
  });

  it('without a kind, or with too many words, is found', () => {
    expect(faultsOf('# A page\n\nText.\n')).toEqual(['no kind below the title']);
    expect(faultsOf(`# A page\n\n**How-to.** ${'word '.repeat(MOST_WORDS)}\n`)).toEqual(['1504 words']);
    expect(faultsOf(`# A page\n\n**Reference.** ${'word '.repeat(MOST_WORDS)}\n`)).toEqual([]);
  });

  it('is a reference only if it is listed as one', () => {
    expect(PAGES.filter((page) => kindOf(read(page)) === 'Reference')).toEqual(REFERENCES.toSorted());
  });

  it('is one of few: those that are no reference have 40,000 words together', () => {
    const explaining = ['README.md', ...PAGES].filter((page) => kindOf(read(page)) !== 'Reference');
    const words = explaining.reduce((sum, page) => sum + wordsOf(read(page)), 0);
    console.info(`${words} words in ${explaining.length} pages`);
    expect(words).toBeLessThanOrEqual(MOST_WORDS_TOGETHER);
  });
});

/** Words of the field, each with the page that explains it. */
const TERMS = [
  { term: 'Operator Lifecycle Manager', page: 'https://olm.operatorframework.io' },
  { term: 'operator', page: 'https://kubernetes.io/docs/concepts/extend-kubernetes/operator/' },
  {
    term: 'CustomResourceDefinition',
    page: 'https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/custom-resources/',
  },
  { term: 'file-based catalog', page: 'https://olm.operatorframework.io/docs/reference/file-based-catalogs/' },
  { term: 'opm', page: 'https://github.com/operator-framework/operator-registry' },
];

describe('pages that newcomers read first', () => {
  it.each(['README.md', 'docs/start.md', 'docs/concepts.md', 'docs/have-olm.md'])(
    '%s spells out the words of the field',
    (page) => {
      const text = read(page);
      expect(TERMS.filter(({ term, page: link }) => !new RegExp(`\\[${term}s?\\]\\(${link}\\)`).test(text))).toEqual(
        [],
      );
    },
  );
});
