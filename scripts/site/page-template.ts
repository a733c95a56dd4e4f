import { escaped } from '#core/catalog/graph/svg/svg-element';
import { CONTRIBUTORS } from './navigation.js';
import type { PageHeading } from './render-markdown.js';

/** The file of a page, and the address at which it is edited. */
export type PageSource = Readonly<{ file: string; edit?: string }>;
/** The site of another version. */
export type SiteVersion = Readonly<{ name: string; url: string }>;
export type SiteVersions = Readonly<{ current: string; others: readonly SiteVersion[] }>;

export type ListedPage = Readonly<{ title: string; path: string }>;
export type ListedSection = Readonly<{ title: string; pages: readonly ListedPage[] }>;

export type PageContent = Readonly<{
  title: string;
  /** Path of this page on the site. */
  path: string;
  html: string;
  headings: readonly PageHeading[];
  source: PageSource;
  /** The script with the index that this page searches. */
  search: string;
}>;

/** From one page of the site to another, so that the site works in any folder and without a server. */
export function relativePath(from: string, to: string): string {
  const up = '../'.repeat(from.split('/').length - 1);
  return `${up}${to}`;
}

/** Returns a whole page: the list of pages, the headings of this one, and its text. */
export function pageTemplate(page: PageContent, sections: readonly ListedSection[], version: SiteVersions): string {
  const to = (path: string) => escaped(relativePath(page.path, path));
  const name = page.path === 'index.html' ? 'Flotilla' : `${page.title} · Flotilla`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(name)}</title>
<link rel="stylesheet" href="${to('assets/site.css')}">
<script defer src="${to('assets/site.js')}" data-root="${to('')}" data-search="${page.search}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="top">
<a class="home" href="${to('index.html')}">Flotilla</a>
${versionMenu(version, to)}
<form class="search" role="search"><label for="search">Search</label><input id="search" type="search" placeholder="Search (press /)" autocomplete="off"></form>
<button class="theme" type="button" aria-label="Light or dark">◐</button>
</header>
<div id="found" role="region" aria-label="Found pages" aria-live="polite" hidden></div>
<div class="columns">
<nav class="pages" aria-label="Pages"><details><summary>All pages</summary>${sections.map((one) => listed(one, page, to)).join('')}</details></nav>
${onThisPage(page)}
<main id="main">
${page.html}
${neighbours(page, sections, to)}
</main>
</div>
<footer>Flotilla ${escaped(version.current)} · Apache-2.0 · ${sourceLine(page.source)}</footer>
</body>
</html>
`;
}

type To = (path: string) => string;

/** Returns the version of the site, which opens the list of other versions if there are any. */
function versionMenu({ current, others }: SiteVersions, to: To): string {
  const notes = `<a class="version" href="${to('changelog.html')}">${escaped(current)}</a>`;
  if (others.length === 0) return notes;
  const items = others.map(({ name, url }) => `<li><a href="${escaped(url)}">${escaped(name)}</a></li>`);
  return `<details class="version"><summary>${escaped(current)}</summary><ul>${items.join('')}</ul></details>`;
}

function sourceLine({ file, edit }: PageSource): string {
  if (file.startsWith('reference/')) return 'this page is made from the code';
  return edit === undefined ? `source: ${escaped(file)}` : `<a href="${escaped(edit)}">Edit this page</a>`;
}

function listed({ title, pages }: ListedSection, { path: here, search }: PageContent, to: To): string {
  const items = pages.map(({ title: name, path }) => {
    const current = path === here ? ' aria-current="page"' : '';
    return `<li><a href="${to(path)}"${current}>${escaped(name)}</a></li>`;
  });
  const list = `<ul>${items.join('')}</ul>`;
  if (title !== CONTRIBUTORS) return `<section><h2>${escaped(title)}</h2>${list}</section>`;
  const open = search === 'search-index.js' ? '' : ' open';
  return `<section><details class="folded"${open}><summary><h2>${escaped(title)}</h2></summary>${list}</details></section>`;
}

const FEWEST = 3;

function onThisPage({ headings }: PageContent): string {
  const own = headings.filter(({ level }) => level === 2);
  if (own.length < FEWEST) return '';
  const items = own.map(({ text, slug }) => `<li><a href="#${escaped(slug)}">${escaped(text)}</a></li>`);
  return `<aside aria-label="On this page"><details><summary>On this page</summary><ul>${items.join('')}</ul></details></aside>`;
}

function neighbours({ path }: PageContent, sections: readonly ListedSection[], to: To): string {
  const all = sections.flatMap(({ pages }) => pages);
  const at = all.findIndex((one) => one.path === path);
  if (at < 0) return '';
  const link = (one: ListedPage | undefined, rel: string, sign: string) =>
    one === undefined
      ? '<span></span>'
      : `<a rel="${rel}" href="${to(one.path)}">${escaped(`${sign}${one.title}`)}</a>`;
  return `<div class="neighbours">${link(all[at - 1], 'prev', '← ')}${link(all[at + 1], 'next', '→ ')}</div>`;
}
