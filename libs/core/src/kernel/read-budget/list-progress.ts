import type { Excess, ReadLimits } from './read-limits.js';

/** The part of one list that was read so far. `mark` is the token that later ones are compared with. */
export type ListProgress = Readonly<{ pages: number; objects: number; bytes: number; mark?: string }>;

export type ListPage = Readonly<{ objects: number; bytes: number; continue?: string | undefined }>;

export const LIST_BEGUN: ListProgress = { pages: 0, objects: 0, bytes: 0 };

/** An API server fills its pages; some filter them afterwards. */
const PAGES_FOR_ONE = 4;
const SPARE_PAGES = 16;
/** Tokens of etcd are a few hundred bytes; a longer one is part of no list. */
const LONGEST_TOKEN = 16 * 1024;

/**
 * Returns the progress after one more page that was requested with `pageSize` (undefined: all in one), or the
 * exceeded limit. A repeated token is found with the memory of a single one (Brent): the token of page 1, 2,
 * 4, 8 … is compared with those that follow. A token that repeats itself at once is found at once, a cycle of
 * n pages within 3n pages.
 */
export function listProgress(
  before: ListProgress,
  page: ListPage,
  pageSize: number | undefined,
  limits: ReadLimits,
): Readonly<{ progress: ListProgress }> | Readonly<{ excess: Excess }> {
  const pages = before.pages + 1;
  const objects = before.objects + page.objects;
  const bytes = before.bytes + page.bytes;
  const token = page.continue ?? '';
  if (objects > limits.objects) return { excess: 'objects' };
  if (bytes > limits.listBytes) return { excess: 'list-bytes' };
  if (token === '') return { progress: { pages, objects, bytes } };
  const mostPages = PAGES_FOR_ONE * Math.ceil(limits.objects / (pageSize ?? limits.objects)) + SPARE_PAGES;
  if (token === before.mark || token.length > LONGEST_TOKEN || pages >= mostPages) return { excess: 'endless' };
  const mark = isPowerOfTwo(pages) ? token : before.mark;
  return { progress: { pages, objects, bytes, ...(mark === undefined ? {} : { mark }) } };
}

const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));
