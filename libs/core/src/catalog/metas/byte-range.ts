/** Bytes of a content: from `start`, `length` of them. */
export type ByteRange = Readonly<{ start: number; length: number }>;

type RangeAnswer =
  /** The whole content. */
  | Readonly<{ kind: 'whole' }>
  /** Ranges in the requested order; at least one. */
  | Readonly<{ kind: 'parts'; parts: readonly ByteRange[] }>
  /** `overlaps: false`: the header is well-formed, but nothing of the content lies in it. */
  | Readonly<{ kind: 'unsatisfiable'; overlaps: boolean }>;

const UNIT = 'bytes=';
/** Most parts of one answer; a header that requests more gets the whole content. */
const MAX_PARTS = 64;

/** Reads a Range header as Go's file server does (RFC 9110 §14.2). Empty or absent: the whole content. */
export function readRange(header: string | undefined, size: number): RangeAnswer {
  // Some clients ask for a range of any content, so of an empty one too.
  if (!header || (size === 0 && header.startsWith(UNIT))) return { kind: 'whole' };
  if (!header.startsWith(UNIT)) return { kind: 'unsatisfiable', overlaps: true };
  const texts = header.slice(UNIT.length).split(',');
  const read = texts.filter((text) => text.trim() !== '').map((text) => readPart(text.trim(), size));
  if (read.includes('invalid')) return { kind: 'unsatisfiable', overlaps: true };
  const parts = read.filter((part) => typeof part === 'object');
  if (parts.length === 0) return read.length > 0 ? { kind: 'unsatisfiable', overlaps: false } : { kind: 'whole' };
  const asked = parts.reduce((sum, { length }) => sum + length, 0);
  return asked > size || parts.length > MAX_PARTS ? { kind: 'whole' } : { kind: 'parts', parts };
}

function readPart(text: string, size: number): ByteRange | 'invalid' | 'beyond' {
  const dash = text.indexOf('-');
  if (dash < 0) return 'invalid';
  const [from, to] = [text.slice(0, dash).trim(), text.slice(dash + 1).trim()];
  if (from === '') {
    const last = wholeNumber(to);
    if (last === undefined) return 'invalid';
    const length = Math.min(last, size);
    return { start: size - length, length };
  }
  const start = wholeNumber(from);
  if (start === undefined) return 'invalid';
  if (start >= size) return 'beyond';
  if (to === '') return { start, length: size - start };
  const end = wholeNumber(to);
  if (end === undefined || end < start) return 'invalid';
  return { start, length: Math.min(end, size - 1) - start + 1 };
}

function wholeNumber(text: string): number | undefined {
  const number = /^\+?\d{1,19}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isNaN(number) ? undefined : number;
}
