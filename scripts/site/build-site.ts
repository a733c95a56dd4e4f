import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectVersion } from '#platform/files/build-info';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { isForContributors, NAVIGATION } from './navigation.js';
import { type PageSource, pageTemplate, relativePath, type SiteVersion } from './page-template.js';
import { referencePages } from './reference/reference-pages.js';
import { type RenderedPage, renderMarkdown } from './render-markdown.js';
import { searchScript } from './search-index.js';
import { linkedFile, sitePath } from './site-paths.js';

/** Files of the site by path. */
export type Site = ReadonlyMap<string, string | Uint8Array>;

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const isFile = (path: string): boolean =>
  statSync(join(PROJECT_ROOT, path), { throwIfNoEntry: false })?.isFile() === true;

/** Facts of a published site that the repository does not hold. */
export type SiteOptions = Readonly<{
  /** Begin of the address at which the repository's files are edited. Default: pages only name their file. */
  edit?: string;
  /** Sites of other versions. */
  versions?: readonly SiteVersion[];
}>;

const SOURCES = ['docs/**/*.md', '*.md', 'examples/**/README.md', 'bench/**/README.md', 'k8s/**/README.md'];

/** The index of pages for users. */
const USERS_INDEX = 'search-index.js';
/** The index of all pages, which the pages for contributors search. */
const CONTRIBUTORS_INDEX = 'search-all.js';

/** The Markdown of every page by its file: those of the repository, and those that are made of code. */
export async function siteSources(): Promise<ReadonlyMap<string, string>> {
  const files = globSync(SOURCES, { cwd: PROJECT_ROOT }).sort();
  return new Map([...files.map((file) => [file, read(file)] as const), ...(await referencePages())]);
}

/** Returns the whole site. The same sources give the same bytes. */
export async function buildSite({ edit, versions = [] }: SiteOptions = {}): Promise<Site> {
  const sources = await siteSources();
  const copied = new Set<string>();
  const rendered = [...sources].map(([source, text]): readonly [string, RenderedPage] => {
    const here = sitePath(source);
    const targetOf = (link: string): string | undefined => {
      const linked = linkedFile(source, link);
      if (linked === 'elsewhere') return link;
      const { file, anchor } = linked;
      if (sources.has(file)) return `${relativePath(here, sitePath(file))}${anchor}`;
      if (!isFile(file)) return undefined;
      copied.add(file);
      return relativePath(here, `files/${file}`);
    };
    return [source, renderMarkdown(text, targetOf)];
  });
  const pages = new Map(rendered);
  const sections = NAVIGATION.map(({ title, pages: own }) => ({
    title,
    pages: own.map(({ source, name }) => ({
      path: sitePath(source),
      title: name ?? pages.get(source)?.title ?? source,
    })),
  }));
  const version = { current: projectVersion(), others: versions };
  const site = new Map<string, string | Uint8Array>();
  for (const [source, page] of pages) {
    const path = sitePath(source);
    const own: PageSource = { file: source, ...(edit === undefined ? {} : { edit: `${edit}${source}` }) };
    const search = isForContributors(source) ? CONTRIBUTORS_INDEX : USERS_INDEX;
    site.set(path, pageTemplate({ ...page, path, source: own, search }, sections, version));
  }
  for (const file of [...copied].sort()) site.set(`files/${file}`, readFileSync(join(PROJECT_ROOT, file)));
  for (const name of ['site.css', 'site.js']) site.set(`assets/${name}`, read(`scripts/site/assets/${name}`));
  const notice = `/*!\nMiniSearch\n\n${read('node_modules/minisearch/LICENSE.txt').trim()}\n*/\n`;
  site.set('assets/minisearch.js', `${notice}${withoutSourceMap(read('node_modules/minisearch/dist/umd/index.js'))}`);
  const searched = rendered.map(([source, { title, parts }]) => ({ source, path: sitePath(source), title, parts }));
  site.set(`assets/${USERS_INDEX}`, searchScript(searched.filter(({ source }) => !isForContributors(source))));
  site.set(`assets/${CONTRIBUTORS_INDEX}`, searchScript(searched));
  return site;
}

const withoutSourceMap = (script: string): string => script.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
