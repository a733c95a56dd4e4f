import { posix } from 'node:path';

/** Where the page of a Markdown file is on the site. */
export function sitePath(source: string): string {
  const path = source.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
  return path.replace(/\.md$/, '.html').replace(/^[A-Z]+(?=\.html$)/, (name) => name.toLowerCase());
}

/** A link of a page: to another file of the repository, or away. */
export type PageLink = Readonly<{ file: string; anchor: string }> | 'elsewhere';

/** Which file of the repository a link on the page of `source` means. */
export function linkedFile(source: string, link: string): PageLink {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return 'elsewhere';
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? source : posix.normalize(posix.join(posix.dirname(source), decodeURIComponent(path)));
  return { file, anchor: anchor === undefined ? '' : `#${anchor}` };
}
