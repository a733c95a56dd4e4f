import MarkdownIt from 'markdown-it';
import { HeadingSlugs } from './heading-slug.js';

export type PageHeading = Readonly<{ level: number; text: string; slug: string }>;

/** A part of a page under one heading, as plain text, for the search. */
export type PagePart = Readonly<{ heading: string; slug: string; text: string }>;

export type RenderedPage = Readonly<{
  title: string;
  html: string;
  headings: readonly PageHeading[];
  parts: readonly PagePart[];
}>;

/** Returns the target of a page's link on the site; undefined: there is none, and only its text is shown. */
export type LinkTarget = (link: string) => string | undefined;

/** Text in angle brackets is text: pages are written without HTML. */
const markdown = new MarkdownIt({ html: false, linkify: false });
const plainImage = markdown.renderer.rules.image;
markdown.renderer.rules.image = (tokens, index, options, environment, renderer) => {
  const draw = () => plainImage?.(tokens, index, options, environment, renderer) ?? '';
  const token = tokens[index];
  const { dark } = (token?.meta ?? {}) as { dark?: string };
  const light = draw();
  if (token === undefined || dark === undefined) return light;
  token.attrSet('src', dark);
  token.attrSet('class', 'dark');
  return light + draw();
};

/** A page of Markdown as HTML, with anchors as GitHub has them, and with its footnotes at the end. */
export function renderMarkdown(source: string, targetOf: LinkTarget): RenderedPage {
  const { text: body, notes } = readFootnotes(withPlainPictures(withoutNotes(source)));
  const tokens = markdown.parse(body, {});
  labelCells(tokens);
  const slugs = new HeadingSlugs();
  const headings: PageHeading[] = [];
  const parts: { heading: string; slug: string; text: string }[] = [];
  for (const [at, token] of tokens.entries()) {
    const inline = tokens[at + 1];
    if (token.type === 'heading_open' && inline !== undefined) {
      const slug = slugs.next(inline.content);
      const text = plainText(inline);
      token.attrSet('id', slug);
      headings.push({ level: Number(token.tag.slice(1)), text, slug });
      parts.push({ heading: text, slug, text: '' });
      continue;
    }
    const part = parts.at(-1);
    if (token.type === 'inline') {
      redirect(token.children ?? [], targetOf);
      if (part !== undefined && tokens[at - 1]?.type !== 'heading_open') part.text += `${plainText(token)}\n`;
    }
    if (token.type === 'fence' && part !== undefined) part.text += `${token.content}\n`;
  }
  const html = markdown.renderer
    .render(tokens, markdown.options, {})
    .replaceAll(/<table[^>]*>/g, '<div class="wide" tabindex="0" role="region" aria-label="table">$&')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replace(/<p><strong>(Tutorial|How-to|Explanation|Reference)\.<\/strong>/, '<p><strong class="kind">$1</strong>');
  return { title: headings[0]?.text ?? '', html: `${html}${footnotes(notes)}`, headings, parts };
}

type Token = ReturnType<typeof markdown.parse>[number];

const plainText = (inline: Token): string =>
  (inline.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : ['text', 'code_inline'].includes(type) ? content : ''))
    .join('');

/** Longer cells make a table of three columns wider than a phone. */
const SHORT_CELL = 40;
const FEW_COLUMNS = 2;

/** Tables of sentences get class `rows`, and each cell the name of its column: on a phone a row is a list. */
function labelCells(tokens: readonly Token[]): void {
  for (const [start, table] of tokens.entries()) {
    if (table.type !== 'table_open') continue;
    const own = tokens.slice(
      start,
      tokens.findIndex(({ type }, at) => at > start && type === 'table_close'),
    );
    const cellsOf = (type: string) =>
      own.flatMap((token, at) => (token.type === type ? [{ token, text: plainText(own[at + 1] as Token) }] : []));
    const [headings, cells] = [cellsOf('th_open'), cellsOf('td_open')];
    if (headings.length <= FEW_COLUMNS || cells.every(({ text }) => text.length <= SHORT_CELL)) continue;
    table.attrSet('class', 'rows');
    for (const [at, { token }] of cells.entries())
      token.attrSet('data-label', headings[at % headings.length]?.text ?? '');
  }
}

/**
 * Redirects links and images of a line to their targets on the site; a link without a target keeps only its
 * text.
 */
function redirect(tokens: readonly Token[], targetOf: LinkTarget): void {
  const closing: string[] = [];
  for (const token of tokens) {
    if (token.type === 'image') redirectImage(token, targetOf);
    if (token.type === 'link_open') {
      if (!retarget(token, 'href', targetOf)) Object.assign(token, { tag: 'span', attrs: null });
      closing.push(token.tag);
    }
    if (token.type === 'link_close') token.tag = closing.pop() ?? token.tag;
  }
}

const LIGHT = '-light.png';

/** Redirects an image, and adds the one for dark pages if there is one. */
function redirectImage(token: Token, targetOf: LinkTarget): void {
  const source = String(token.attrGet('src') ?? '');
  const dark = source.endsWith(LIGHT) ? targetOf(source.replace(LIGHT, '-dark.png')) : undefined;
  retarget(token, 'src', targetOf);
  if (dark === undefined) return;
  token.attrSet('class', 'light');
  token.meta = { dark };
}

function retarget(token: Token, attribute: string, targetOf: LinkTarget): boolean {
  const to = targetOf(String(token.attrGet(attribute) ?? ''));
  if (to !== undefined) token.attrSet(attribute, to);
  return to !== undefined;
}

/** Removes front matter, and comments on lines of their own. */
const withoutNotes = (source: string): string =>
  source.replace(/^---\n[\s\S]*?\n---\n+/, '').replaceAll(/^<!-- .* -->\n/gm, '');

/** Reduces a picture in a light and a dark form to the light one; the dark one lies beside it. */
const withPlainPictures = (source: string): string =>
  source.replaceAll(/^<picture>\n(?:.*\n)*?.*<img alt="([^"]*)" src="([^"]*)">\n<\/picture>$/gm, '![$1]($2)');

type Footnotes = Readonly<{ text: string; notes: readonly string[] }>;

/** The text with a link in place of each mark of a footnote, and the footnotes in the order of these. */
function readFootnotes(source: string): Footnotes {
  const known = new Map(
    [...source.matchAll(/^\[\^([^\]]+)\]: (.*)$/gm)].map(([, name = '', text = '']) => [name, text]),
  );
  const numbers = new Map<string, number>();
  let isFenced = false;
  const lines = source.split('\n').flatMap((line) => {
    if (/^\s*(```|~~~)/.test(line)) isFenced = !isFenced;
    if (isFenced) return [line];
    if (/^\[\^[^\]]+\]:/.test(line)) return [];
    return [
      line.replaceAll(/\[\^([^\]]+)\]/g, (_mark, name: string) => {
        const number = numbers.get(name) ?? numbers.size + 1;
        numbers.set(name, number);
        return `[\\[${number}\\]](#note-${number})`;
      }),
    ];
  });
  return { text: lines.join('\n'), notes: [...numbers.keys()].map((name) => known.get(name) ?? name) };
}

const footnotes = (notes: readonly string[]): string =>
  notes.length === 0
    ? ''
    : `<ol class="footnotes">${notes.map((note, at) => `<li id="note-${at + 1}">${markdown.renderInline(note)}</li>`).join('')}</ol>\n`;
