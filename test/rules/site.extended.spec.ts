import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import MiniSearch from 'minisearch';
import { beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { buildSite, type Site } from '../../scripts/site/build-site.js';
import { CONTRIBUTORS, isForContributors, NAVIGATION } from '../../scripts/site/navigation.js';
import { renderMarkdown } from '../../scripts/site/render-markdown.js';
import { SEARCH_OPTIONS, wordsOf } from '../../scripts/site/search-index.js';
import { linkedFile, sitePath } from '../../scripts/site/site-paths.js';
import { isLicenceAllowed } from '../../scripts/supply-chain/licences.js';
import { packageClosure } from '../../scripts/supply-chain/package-closure.js';

let site: Site;
beforeAll(async () => {
  site = await buildSite();
});

const text = (path: string): string => String(site.get(path) ?? '');
const htmlPages = () => [...site.keys()].filter((path) => path.endsWith('.html'));
const links = (html: string) => [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link);
const ids = (html: string) => new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => decoded(id)));
const decoded = (value: string) => value.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&lt;', '<');

/** A link of a page that leads to no file, or to no heading, of the site. */
function isBroken(page: string, link: string): boolean {
  if (/^[a-z]+:/.test(link)) return false;
  const [path = '', anchor = ''] = decoded(link).split('#');
  const target = path === '' ? page : posix.normalize(posix.join(posix.dirname(page), path));
  const content = site.get(target);
  if (content === undefined) return true;
  return anchor !== '' && target.endsWith('.html') && !ids(String(content)).has(decodeURIComponent(anchor));
}

describe('the site', () => {
  it('has every page of docs in its list, and none that there is not', () => {
    const listed = NAVIGATION.flatMap(({ pages }) => pages.map(({ source }) => source));
    expect(new Set(listed).size).toBe(listed.length);
    const docs = globSync('docs/*.md', { cwd: PROJECT_ROOT }).sort();
    expect(docs.filter((page) => !listed.includes(page))).toEqual([]);
    expect(listed.filter((source) => !site.has(sitePath(source)))).toEqual([]);
    expect(NAVIGATION[0]?.pages[0]?.source, 'the page that most readers need comes first').toBe('docs/have-olm.md');
  });

  it('links to files and headings that it has', () => {
    const broken = htmlPages().flatMap((page) =>
      links(text(page))
        .filter((link) => isBroken(page, link))
        .map((link) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
    expect(isBroken('index.html', 'gone.html')).toBe(true);
    expect(isBroken('index.html', 'have-olm.html#gone')).toBe(true);
  });

  it('begins with a page of its own, from which links lead to every page', () => {
    expect(text('index.html')).toContain('Find an answer');
    const reached = new Set(['index.html']);
    for (const page of reached) {
      for (const link of links(text(page)).map((one) => decoded(one).split('#')[0] ?? '')) {
        const target = posix.normalize(posix.join(posix.dirname(page), link));
        if (target.endsWith('.html') && site.has(target)) reached.add(target);
      }
    }
    expect(htmlPages().filter((page) => !reached.has(page))).toEqual([]);
  });

  it('shows pictures, and no tag as text', () => {
    expect(text('index.html')).toMatch(
      /<img src="files\/docs\/images\/console\/operator-light.png" alt="Why an operator[^>]* class="light"><img src="[^"]*-dark.png"/,
    );
    const prose = (html: string) => html.replaceAll(/<(pre|code)[^>]*>.*?<\/\1>/gs, '');
    expect(htmlPages().filter((page) => /&lt;\/?(picture|img|source|br|p|details)\b/.test(prose(text(page))))).toEqual(
      [],
    );
  });

  it('takes nothing from elsewhere', () => {
    const taken = htmlPages().flatMap(
      (page) => text(page).match(/<(?:script|img|link)[^>]*(?:https?:)?\/\/[^>]*>/g) ?? [],
    );
    expect(taken).toEqual([]);
    expect(text('assets/site.css')).not.toMatch(/url\(|@import/);
  });

  /** Hits of a query, as the browser finds them. */
  function hits(query: string, script = 'search-index.js'): string[] {
    const [, quoted = '""'] = /^FLOTILLA_INDEX = (.*);$/m.exec(text(`assets/${script}`)) ?? [];
    const index = MiniSearch.loadJSON(JSON.parse(quoted), {
      ...SEARCH_OPTIONS,
      tokenize: wordsOf,
      fields: [...SEARCH_OPTIONS.fields],
      storeFields: [...SEARCH_OPTIONS.storeFields],
    });
    const found = index.search(query, { boostDocument: (_id, _term, stored) => Number(stored?.['weight']) });
    return found.map(({ path, slug }) => `${path}#${slug}`);
  }

  it.each([
    { query: 'proxy', first: 'air-gap.html#behind-a-proxy' },
    { query: 'kubeconfig login expired', first: 'access.html#renew-a-login' },
    { query: 'approve plan', first: 'install-plans.html#approve-a-plan' },
    { query: 'air gap', first: 'air-gap.html#without-the-internet-air-gap' },
    { query: 'rollback', first: 'extension-revisions.html#rollback' },
    { query: 'redis password', first: 'redis.html#redis' },
    { query: 'catalog not ready', first: 'catalog-status.html#a-catalogsource-that-is-not-ready' },
    { query: 'uninstall', first: 'guide.html#uninstall' },
    { query: 'metrics', first: 'metrics.html#metrics' },
    { query: 'upgrade hub', first: 'upgrading.html#upgrade-the-hub' },
  ])('answers "$query" with $first first', ({ query, first }) => {
    expect(hits(query)[0]).toBe(first);
  });

  it('keeps pages for contributors in a section of their own, and out of the search of users', () => {
    const pages = NAVIGATION.find(({ title }) => title === CONTRIBUTORS)?.pages.map(({ source }) => source) ?? [];
    expect(pages).toEqual(expect.arrayContaining(['AGENTS.md', 'docs/decisions/README.md', 'docs/spec/README.md']));
    const isOfContributors = (hit: string) => /^(decisions|spec|why|contributing|agents|architecture)\b/.test(hit);
    expect(hits('lease decision context').filter(isOfContributors)).toEqual([]);
    expect(hits('shard').filter(isOfContributors)).toEqual([]);
    expect(hits('shard', 'search-all.js').some(isOfContributors)).toBe(true);
    expect(text('decisions/index.html')).toContain('data-search="search-all.js"');
    expect(text('guide.html')).toContain('data-search="search-index.js"');
    expect(isForContributors('docs/guide.md')).toBe(false);
  });

  it('names the file of each page, and leads to its editor and to other versions where they are known', async () => {
    expect(text('guide.html')).toContain('source: docs/guide.md');
    const edit = 'https://example.com/edit/main/';
    const published = await buildSite({ edit, versions: [{ name: '0.1', url: 'https://example.com/0.1/' }] });
    const page = String(published.get('guide.html'));
    expect(page).toContain(`<a href="${edit}docs/guide.md">Edit this page</a>`);
    expect(page).toContain('<a href="https://example.com/0.1/">0.1</a>');
    expect(String(published.get('reference/verbs.html'))).toContain('this page is made from the code');
  });

  it('finds what readers search for', () => {
    const first = (query: string) =>
      hits(query)
        .slice(0, 6)
        .map((hit) => hit.split('#')[0]);
    expect(first('hand over from olm')).toContain('beside-olm.html');
    expect(first('FLOTILLA_SHARD_LEASE')).toContain('settings.html');
    expect(first('RequirementsNotMet')).toContain('reference/reasons.html');
    expect(first('glossary')).toContain('glossary.html');
    expect(first('air gap')).toContain('air-gap.html');
    expect(first('certificates-until')).toContain('reference/annotations.html');
    expect(first('get started')[0]).toBe('index.html');
    expect(first('approve')).toContain('reference/verbs.html');
    expect(first('exit codes')).toContain('reference/exit-codes.html');
  });

  it('has reference pages with what the code has', () => {
    expect(text('reference/verbs.html')).toContain('id="flotilla-clusters-handover"');
    expect(text('reference/metrics.html')).toContain('<code>flotilla_redis_memory_bytes</code>');
    expect(text('reference/kinds.html')).toContain('<code>installPlanApproval</code>');
    expect(text('reference/reasons.html')).toContain('<code>UnhealthyCatalogSourceFound</code>');
    expect(text('reference/exit-codes.html')).toContain('<td>3</td>');
  });

  it('has every annotation and label of ours, each with its meaning', () => {
    const page = text('reference/annotations.html');
    for (const key of ['flotilla.dev/paused', 'fleet.flotilla.dev/applied-code', 'flotilla.dev/opens-console'])
      expect(page).toContain(`<code>${key}</code>`);
    expect(page, 'a key without a docstring, or a label without a row of the page').not.toMatch(/<td[^>]*><\/td>/);
    const [yours = ''] = page.split('Labels of namespaces</h2>');
    expect(yours).toContain('<code>flotilla.dev/rollback-to-revision</code>');
    expect(yours).not.toContain('<code>flotilla.dev/inputs</code>');
  });

  it('keeps the notice that the licence of its search asks for', () => {
    const [notice = ''] = text('assets/minisearch.js').split('*/');
    expect(notice).toMatch(/^\/\*![\s\S]*Copyright [\s\S]*Permission is hereby granted, free of charge/);
  });

  it('is the same each time', async () => {
    expect(await buildSite()).toEqual(site);
  });

  it('is made by packages whose licences are allowed', () => {
    const lockFile = readFileSync(join(PROJECT_ROOT, 'package-lock.json'), 'utf8');
    const { packages } = JSON.parse(lockFile) as { packages: Record<string, { license?: string }> };
    const folders = packageClosure(lockFile, ['markdown-it', 'minisearch']);
    expect(folders.length).toBeGreaterThan(2);
    expect(folders.filter((folder) => !isLicenceAllowed(packages[folder]?.license ?? ''))).toEqual([]);
  });
});

describe('a page of Markdown', () => {
  it('becomes HTML whose links lead to the site, without HTML of its own', () => {
    const source = [
      '# A `b` [c](d.md)',
      '## A part',
      '[there](there.md#x) [nowhere](folder) <script>x</script> text [^test]',
      '[^test]: `test/x`',
    ].join('\n');
    const page = renderMarkdown(source, (link) => (link === 'folder' ? undefined : link.replace(/^[a-z]/, 'to/$&')));
    expect(page.html).toContain('<a href="to/there.md#x">there</a> <span>nowhere</span> &lt;script&gt;');
    expect(page.html).toContain('text <a href="#note-1">[1]</a>');
    expect(page.html).toContain('<li id="note-1"><code>test/x</code></li>');
    expect(page).toMatchObject({ title: 'A b c', headings: [{ slug: 'a-b-c' }, { slug: 'a-part', level: 2 }] });
  });

  it('has tables of sentences with the name of its column at each cell, for narrow screens', () => {
    const long = 'a sentence that is too long for a column of a phone';
    const page = (cell: string) =>
      renderMarkdown(`| A | \`b\` | C |\n|---|---|---|\n| 1 | ${cell} | 3 |\n`, () => undefined).html;
    expect(page(long)).toContain('<table class="rows">');
    expect(page(long)).toContain(`<td data-label="b">${long}</td>`);
    expect(page('2')).toContain('<table><thead>'.replace('><', '>\n<'));
    expect(page('2')).not.toContain('data-label');
  });

  it('lies where its file does, README pages as the first of their folder', () => {
    expect(
      ['README.md', 'docs/start.md', 'docs/guide.md', 'docs/spec/README.md', 'CHANGELOG.md'].map(sitePath),
    ).toEqual([...['readme.html', 'index.html', 'guide.html', 'spec/index.html', 'changelog.html']]);
    expect(linkedFile('docs/guide.md', '../README.md#a')).toEqual({ file: 'README.md', anchor: '#a' });
    expect(linkedFile('docs/guide.md', 'https://example.com')).toBe('elsewhere');
    expect(dirname(sitePath('examples/crd-versions/README.md'))).toBe('examples/crd-versions');
  });
});
