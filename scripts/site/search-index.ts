import MiniSearch from 'minisearch';
import type { PagePart } from './render-markdown.js';

/** A page as the search has it. */
export type SearchedPage = Readonly<{ path: string; title: string; parts: readonly PagePart[] }>;

/** Characters between words; a name such as FLOTILLA_SHARD_LEASE is one word. */
const BETWEEN_WORDS = '[^\\p{L}\\p{N}_]+';
export const wordsOf = (text: string): string[] => text.split(new RegExp(BETWEEN_WORDS, 'u'));

/** How pages are indexed and searched; the browser gets the same. */
export const SEARCH_OPTIONS = {
  fields: ['page', 'heading', 'text'],
  storeFields: ['path', 'slug', 'page', 'heading', 'start', 'weight'],
  searchOptions: { boost: { page: 3, heading: 4 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
} as const;

const START = 160;

/** Returns the weight of a page: long pages name every word in some place. */
function weightOf(path: string): number {
  if (/^(decisions|spec|why|contributing)\/|^(changelog|readme|architecture|contributing)\./.test(path)) return 0.05;
  return /^(bench|differences-from-olm|reference)/.test(path) ? 0.3 : 1;
}

/** A script that gives the browser the index: pages that were opened as files may not fetch. */
export function searchScript(pages: readonly SearchedPage[]): string {
  const index = new MiniSearch({
    ...SEARCH_OPTIONS,
    tokenize: wordsOf,
    fields: [...SEARCH_OPTIONS.fields],
    storeFields: [...SEARCH_OPTIONS.storeFields],
  });
  const parts = pages.flatMap(({ path, title, parts: own }) =>
    own.map(({ slug, heading, text }) => ({
      path,
      slug,
      page: title,
      heading,
      text,
      start: startOf(text),
      weight: weightOf(path),
    })),
  );
  index.addAll(parts.map((part, id) => ({ id, ...part })));
  const quoted = (value: unknown) => JSON.stringify(JSON.stringify(value));
  const options = JSON.stringify({ ...SEARCH_OPTIONS, betweenWords: BETWEEN_WORDS });
  return `FLOTILLA_SEARCH = ${options};\nFLOTILLA_INDEX = ${quoted(index)};\n`;
}

const startOf = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= START ? line : `${line.slice(0, START)}…`;
};
