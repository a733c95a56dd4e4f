import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { HeadingSlugs } from '../../scripts/site/heading-slug.js';

const PAGES = globSync('**/*.md', {
  cwd: PROJECT_ROOT,
  exclude: ['**/node_modules/**', 'dist/**', '.tools/**'],
}).sort();

/** Lines of a page outside of code blocks. */
function proseOf(text: string): readonly string[] {
  let fenced = false;
  return text.split('\n').filter((line) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) fenced = !fenced;
    return !isFence && !fenced;
  });
}

/** The anchors of a page's headings, as GitHub and the site have them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const slugs = new HeadingSlugs();
  const headings = proseOf(text).flatMap((line) => /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1] ?? []);
  return new Set(headings.map((heading) => slugs.next(heading)));
}

/** Targets of the links and images of a page that lead to files of this repository. */
const linksOf = (text: string): readonly string[] =>
  proseOf(text)
    .flatMap((line) => [...line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)|^\[[^\]^]+\]:\s+(\S+)/g)])
    .map(([, inline, referred]) => inline ?? referred ?? '')
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target));

function brokenLinks(page: string, text: string): string[] {
  return linksOf(text).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
    const absolute = join(PROJECT_ROOT, file);
    if (file !== page && !existsSync(absolute)) return true;
    if (anchor === undefined || !file.endsWith('.md')) return false;
    return !anchorsOf(file === page ? text : readFileSync(absolute, 'utf8')).has(anchor);
  });
}

it.each(PAGES)('%s links to files and headings that exist', (page) => {
  expect(brokenLinks(page, readFileSync(join(PROJECT_ROOT, page), 'utf8'))).toEqual([]);
});

it('finds links to missing files and headings', () => {
  const page = [
    '# A page',
    '## The `first` part, twice',
    '## The first part, twice',
    '[good](#the-first-part-twice) [good](#the-first-part-twice-1) [good](../README.md) [good](https://example.com/x#y)',
    '[file](gone.md) [heading](#gone) [elsewhere](../README.md#gone) `[code](gone)`',
    '```',
    '[in code](gone.md)',
    '```',
  ].join('\n');
  expect(brokenLinks('docs/page.md', page)).toEqual(['gone.md', '#gone', '../README.md#gone']);
});
