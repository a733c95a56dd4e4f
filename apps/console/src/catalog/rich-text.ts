import type { RichText } from '../api/catalogs.schema.js';

/**
 * Reads the Markdown of catalogs as far as it is used there: headings, paragraphs, lists, quotes, code,
 * tables, emphasis and links. HTML and images stay text; so nothing of a catalog becomes a tag of a page.
 * Takes time in proportion to the text.
 */
export function richText(markdown: string): RichText[] {
  return blocksOf(markdown.replaceAll(/\r\n?/g, '\n').split('\n'), 0);
}

const DEEPEST = 8;
const MOST_BLOCKS = 2_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^( {0,8})([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}> ?/;
const RULE = /^ {0,3}([-*_])( *\1){2,} *$/;
const TABLE_RULE = /^ *\|?( *:?-+:? *\|)+ *(:?-+:?)? *$/;

function blocksOf(lines: readonly string[], depth: number): RichText[] {
  const blocks: RichText[] = [];
  let at = 0;
  while (at < lines.length && blocks.length < MOST_BLOCKS) {
    const [block, next] = blockAt(lines, at, depth);
    if (block !== undefined) blocks.push(block);
    at = next;
  }
  if (at < lines.length) blocks.push({ type: 'block', text: lines.slice(at).join('\n') });
  return blocks;
}

type Read = readonly [block: RichText | undefined, next: number];

function blockAt(lines: readonly string[], at: number, depth: number): Read {
  const line = lines[at] ?? '';
  if (line.trim() === '' || RULE.test(line)) return [undefined, at + 1];
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return fenced(lines, at, fence);
  const [, marks, title] = HEADING.exec(line) ?? [];
  if (marks !== undefined) {
    return [{ type: 'heading', level: marks.length, children: inline(title ?? '') }, at + 1];
  }
  if (/^( {4}|\t)/.test(line)) return indented(lines, at);
  if (depth < DEEPEST && QUOTE.test(line)) return quote(lines, at, depth);
  if (depth < DEEPEST && ITEM.test(line)) return list(lines, at, depth);
  if (line.includes('|') && TABLE_RULE.test(lines[at + 1] ?? '')) return table(lines, at);
  return paragraph(lines, at, depth);
}

/** The first line from `at` on that `ends` holds for. */
function endFrom(lines: readonly string[], at: number, ends: (line: string, at: number) => boolean): number {
  let next = at;
  while (next < lines.length && !ends(lines[next] ?? '', next)) next += 1;
  return next;
}

function fenced(lines: readonly string[], at: number, fence: string): Read {
  const end = endFrom(lines, at + 1, (line) => line.trim().startsWith(fence));
  return [{ type: 'block', text: lines.slice(at + 1, end).join('\n') }, end + 1];
}

function indented(lines: readonly string[], at: number): Read {
  const end = endFrom(lines, at, (line) => !/^( {4}|\t)/.test(line));
  const text = lines.slice(at, end).map((line) => line.replace(/^( {4}|\t)/, ''));
  return [{ type: 'block', text: text.join('\n') }, end];
}

function quote(lines: readonly string[], at: number, depth: number): Read {
  const end = endFrom(lines, at, (line) => !QUOTE.test(line));
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  return [{ type: 'quote', children: blocksOf(inner, depth + 1) }, end];
}

/** Reads the items of one list; a deeper item belongs to the item above it. */
function list(lines: readonly string[], at: number, depth: number): Read {
  const indent = indentOf(lines[at] ?? '');
  const end = endFrom(lines, at + 1, (line, index) => endsList(line, lines[index - 1] ?? '', indent));
  const items: string[][] = [];
  for (const line of lines.slice(at, end)) {
    const [, spaces, , text] = ITEM.exec(line) ?? [];
    if (spaces !== undefined && spaces.length <= indent + 1) items.push([text ?? '']);
    else items.at(-1)?.push(line.slice(Math.min(indent + 2, indentOf(line))));
  }
  const children = items.map((item): RichText => ({ type: 'item', children: tight(blocksOf(item, depth + 1)) }));
  return [{ type: 'list', children }, end];
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** An item further to the left, or a text after an empty line that is no part of an item. */
function endsList(line: string, before: string, indent: number): boolean {
  if (line.trim() === '') return false;
  const isItem = ITEM.test(line);
  return isItem ? indentOf(line) < indent : indentOf(line) <= indent && before.trim() === '';
}

/** The text of an item that is one paragraph stands without it. */
function tight(blocks: RichText[]): RichText[] {
  const [first, ...rest] = blocks;
  return first?.type === 'paragraph' ? [...first.children, ...rest] : blocks;
}

const cellsOf = (line: string): string[] => line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|');

function table(lines: readonly string[], at: number): Read {
  const end = endFrom(lines, at + 2, (line) => !line.includes('|'));
  const rows = [lines[at] ?? '', ...lines.slice(at + 2, end)];
  const children = rows.map((row): RichText => {
    const cells = cellsOf(row).map((cell): RichText => ({ type: 'cell', children: inline(cell.trim()) }));
    return { type: 'row', children: cells };
  });
  return [{ type: 'table', children }, end];
}

const BEGINS = [FENCE, HEADING, RULE];

function paragraph(lines: readonly string[], at: number, depth: number): Read {
  const deeper = depth < DEEPEST ? [ITEM, QUOTE] : [];
  const ends = (line: string) => line.trim() === '' || [...BEGINS, ...deeper].some((begin) => begin.test(line));
  const end = endFrom(lines, at + 1, ends);
  const text = lines.slice(at, end).map((line) => line.trim());
  return [{ type: 'paragraph', children: inline(text.join(' ')) }, end];
}

/** The whole of each is bounded, so that no text makes them search to its end again and again. */
const INLINE = new RegExp(
  [
    '(?<escape>\\\\[\\\\`*_{}\\[\\]()#+.!|<>~-])',
    '`(?<code>[^`]{1,2000})`',
    '!\\[(?<alternative>[^\\]]{0,300})\\]\\([^()\\s]{0,2000}\\)',
    '\\[(?<label>[^\\[\\]]{1,500})\\]\\((?<url>[^()\\s]{1,2000})(?: "[^"]{0,300}")?\\)',
    '<(?<address>(?:https?|mailto):[^<>\\s]{1,2000})>',
    '(?<bare>https?://[^\\s<>()\\[\\]"\'`]{1,2000}[^\\s<>()\\[\\]"\'`.,;:!?*_])',
    '\\*\\*(?<strong>[^*\\n]{1,1000})\\*\\*',
    '__(?<bold>[^_\\n]{1,1000})__(?!\\w)',
    '\\*(?<emphasis>[^*\\s](?:[^*\\n]{0,1000}[^*\\s])?)\\*',
    '(?<!\\w)_(?<italic>[^_\\s](?:[^_\\n]{0,1000}[^_\\s])?)_(?!\\w)',
  ].join('|'),
  'gu',
);

function inline(text: string, depth = 0): RichText[] {
  const parts: RichText[] = [];
  let at = 0;
  const plain = (piece: string) => {
    const last = parts.at(-1);
    if (last?.type === 'text') parts[parts.length - 1] = { type: 'text', text: last.text + piece };
    else if (piece !== '') parts.push({ type: 'text', text: piece });
  };
  for (const match of depth > 3 ? [] : text.matchAll(INLINE)) {
    plain(text.slice(at, match.index));
    at = match.index + match[0].length;
    const part = partOf(match.groups ?? {}, depth);
    if (part === undefined) plain(match.groups?.['escape']?.slice(1) ?? match[0]);
    else parts.push(part);
  }
  plain(text.slice(at));
  return parts;
}

function partOf(of: Readonly<Record<string, string | undefined>>, depth: number): RichText | undefined {
  const strong = of['strong'] ?? of['bold'];
  const emphasis = of['emphasis'] ?? of['italic'];
  const address = of['address'] ?? of['bare'];
  if (of['code'] !== undefined) return { type: 'code', text: of['code'] };
  if (of['alternative'] !== undefined) return { type: 'text', text: of['alternative'] };
  if (strong !== undefined) return { type: 'strong', children: inline(strong, depth + 1) };
  if (emphasis !== undefined) return { type: 'emphasis', children: inline(emphasis, depth + 1) };
  if (address !== undefined) return linkTo(address, [{ type: 'text', text: address }]);
  if (of['label'] !== undefined && of['url'] !== undefined) {
    return linkTo(of['url'], inline(of['label'], depth + 1));
  }
  return undefined;
}

const PROTOCOLS = ['https:', 'http:', 'mailto:'];

/** An address that a page may lead to, as browsers read it; undefined: it is shown as text. */
export function safeAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  return url !== null && PROTOCOLS.includes(url.protocol) && url.username === '' ? url : undefined;
}

function linkTo(address: string, children: RichText[]): RichText | undefined {
  const url = safeAddress(address);
  if (url === undefined) return undefined;
  return { type: 'link', url: url.href, host: url.host || url.pathname, children };
}
