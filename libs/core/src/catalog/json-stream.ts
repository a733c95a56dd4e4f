import { BlobError } from './catalog-load.error.js';
import { MAX_DEPTH } from './yaml-document.js';

const SPACE = /[ \t\r\n]*/y;
const BARE_WORD = /[^ \t\r\n{}[\]",:]+/y;
const STRUCTURE = /[{}[\]"]/g;

/** Offset of the first character at or after `from` that is no JSON white space. */
export function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** The JSON value that starts at `start` (no white space there) and the offset after it. Throws {@link BlobError}. */
export function parseJsonAt(text: string, start: number): { value: unknown; end: number } {
  const end = endOfValue(text, start);
  try {
    return { value: JSON.parse(text.slice(start, end)) as unknown, end };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BlobError(`json: offset ${start}: ${reason}`, lineAt(text, start));
  }
}

/** Number of the line, from 1, that holds `offset`. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first === '{' || first === '[') return endOfCollection(text, start);
  BARE_WORD.lastIndex = start;
  return BARE_WORD.test(text) ? BARE_WORD.lastIndex : start + 1;
}

function endOfCollection(text: string, start: number): number {
  let depth = 0;
  STRUCTURE.lastIndex = start;
  for (let match = STRUCTURE.exec(text); match !== null; match = STRUCTURE.exec(text)) {
    const mark = match[0];
    if (mark === '"') {
      STRUCTURE.lastIndex = endOfString(text, match.index);
      continue;
    }
    depth += mark === '{' || mark === '[' ? 1 : -1;
    if (depth > MAX_DEPTH) throw new BlobError(`json: nesting exceeds ${MAX_DEPTH} levels`, lineAt(text, start));
    if (depth === 0) return match.index + 1;
  }
  throw new BlobError(`json: offset ${text.length}: unexpected EOF`, lineAt(text, start));
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  throw new BlobError(`json: offset ${text.length}: unexpected EOF`, lineAt(text, start));
}
