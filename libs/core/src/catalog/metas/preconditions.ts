import { parseHttpDate } from './http-date.js';

/** Request headers by their lower-case names; of one that came more than once the first value. */
export type LowerCaseHeaders = Readonly<Record<string, string | undefined>>;

/** The effect of conditional headers on a GET or HEAD. */
type PreconditionVerdict = 'go on' | 'not modified' | 'failed';

type Holds = boolean | 'not asked';

/**
 * Evaluates the conditional headers of a request for content that has a time and no ETag. The order is that
 * of RFC 9110 §13.2.2, as in Go's file server (spec: v1-catalog.md §2). A tag can never match an ETag that is
 * not there, `*` always does, and a date that cannot be read is skipped. `modified` is in whole seconds since
 * 1970.
 */
export function judge(headers: LowerCaseHeaders, modified: number): PreconditionVerdict {
  const match = ifMatch(headers['if-match']);
  const mayGoOn = match === 'not asked' ? ifUnmodifiedSince(headers['if-unmodified-since'], modified) : match;
  if (mayGoOn === false) return 'failed';
  const noneMatch = ifNoneMatch(headers['if-none-match']);
  const isNews = noneMatch === 'not asked' ? ifModifiedSince(headers['if-modified-since'], modified) : noneMatch;
  return isNews === false ? 'not modified' : 'go on';
}

/** True if a Range header counts, given If-Range: an ETag never matches here, a date must be the very one. */
export function rangeCounts(ifRange: string | undefined, modified: number): boolean {
  if (!ifRange) return true;
  return parseHttpDate(ifRange) === modified;
}

function ifMatch(header: string | undefined): Holds {
  return header ? hasStar(header) : 'not asked';
}

function ifNoneMatch(header: string | undefined): Holds {
  return header ? !hasStar(header) : 'not asked';
}

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*"/;

/** True if a list of entity tags has a `*`. The text after a malformed tag is not read. */
function hasStar(list: string): boolean {
  let rest = list;
  while (rest !== '') {
    rest = rest.replace(/^[ \t\r\n]*,?[ \t\r\n]*/, '');
    if (rest.startsWith('*')) return true;
    const tag = ENTITY_TAG.exec(rest)?.[0];
    if (tag !== undefined) rest = rest.slice(tag.length);
    else if (!rest.startsWith(',')) return false;
  }
  return false;
}

function ifUnmodifiedSince(header: string | undefined, modified: number): Holds {
  const date = header === undefined ? undefined : parseHttpDate(header);
  return date === undefined ? 'not asked' : modified <= date;
}

function ifModifiedSince(header: string | undefined, modified: number): Holds {
  const date = header === undefined ? undefined : parseHttpDate(header);
  return date === undefined ? 'not asked' : modified > date;
}
