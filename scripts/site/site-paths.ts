import { posix } from 'node:path';

/** The page that a reader begins with. */
export const START_PAGE = 'docs/start.md';

/** Returns the path on the site for the page of a Markdown file. */
export function sitePath(source: string): string {
  if (source === START_PAGE) return 'index.html';
  if (source === 'README.md') return 'readme.html';
  const path = source.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
  return path.replace(/\.md$/, '.html').replace(/^[A-Z]+(?=\.html$)/, (name) => name.toLowerCase());
}

/** A link of a page: to another file of the repository, or away. */
export type PageLink = Readonly<{ file: string; anchor: string }> | 'elsewhere';

/** Returns the file of the repository that a link on the page of `source` means. */
export function linkedFile(source: string, link: string): PageLink {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return 'elsewhere';
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? source : posix.normalize(posix.join(posix.dirname(source), decodeURIComponent(path)));
  return { file, anchor: anchor === undefined ? '' : `#${anchor}` };
}
