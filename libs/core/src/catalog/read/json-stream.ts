import { BlobError } from '../model/catalog-load.error.js';
import { type ByteWindow, countNewlines, MAX_DOCUMENT_VALUES } from './bytes/byte-window.js';
import { jsonText } from './bytes/utf8-text.js';
import { MAX_DEPTH } from './yaml/first-document.js';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const BLANK = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const isSpace = (byte: number | undefined): boolean =>
  byte === BLANK || byte === LINE_FEED || byte === TAB || byte === RETURN;

const endsBareWord = (byte: number | undefined): boolean =>
  isSpace(byte) || byte === COMMA || byte === COLON || byte === QUOTE || opens(byte) || closes(byte);
const opens = (byte: number | undefined): boolean => byte === OPEN_OBJECT || byte === OPEN_LIST;
const closes = (byte: number | undefined): boolean => byte === CLOSE_OBJECT || byte === CLOSE_LIST;

/**
 * Counts the unread bytes from `from` on that are JSON white space. Takes in chunks until another byte or the
 * end comes.
 */
export function spaceLength(window: ByteWindow, from = 0): number {
  let at = from;
  for (;;) {
    const bytes = window.unread;
    while (at < bytes.length && isSpace(bytes[at])) at += 1;
    if (at < bytes.length || !window.more()) return at - from;
  }
}

/**
 * Parses the JSON value that starts at the unread byte `start`, no white space, and returns the offset after
 * it too. Drops no bytes. Throws {@link BlobError}.
 */
export function parseJsonAt(window: ByteWindow, start: number): { value: unknown; end: number } {
  const end = endOfValue(window, start);
  try {
    const text = jsonText(window.unread.subarray(start, end));
    const value: unknown = HUGE_NUMBER.test(text) ? JSON.parse(text, finite) : JSON.parse(text);
    return { value, end };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BlobError(`json: offset ${window.offset + start}: ${reason}`, lineAt(window, start));
  }
}

/** Digits that may be too large for a number. */
const HUGE_NUMBER = /[0-9](?:[eE]\+?[0-9]{3}|[0-9]{308})/;

/** Refuses a number that is infinite in JavaScript and an error in Go. */
function finite(_key: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
    throw new Error('cannot unmarshal a number that is too large into Go value of type float64');
  }
  return value;
}

const lineAt = (window: ByteWindow, at: number): number => window.line + countNewlines(window.unread, 0, at);

/** Finds the end without parsing: the parser decides whether the value is well formed. */
function endOfValue(window: ByteWindow, start: number): number {
  const first = window.unread[start];
  if (first === QUOTE) return endOfString(window, start, start);
  if (opens(first)) return endOfCollection(window, start);
  let at = start + 1;
  for (;;) {
    const bytes = window.unread;
    while (at < bytes.length && !endsBareWord(bytes[at])) at += 1;
    if (at < bytes.length || !window.more()) return at;
  }
}

function endOfCollection(window: ByteWindow, start: number): number {
  const structure = new Structure();
  for (let at = start; ; at += 1) {
    if (at >= window.unread.length && !window.more()) throw cutShort(window, start);
    const byte = window.unread[at];
    if (byte === QUOTE) at = endOfString(window, at, start) - 1;
    else if (structure.take(byte)) return at + 1;
    if (structure.excess !== undefined) throw new BlobError(`json: ${structure.excess}`, lineAt(window, start));
  }
}

/** Counts the brackets and commas of a collection, from its first bracket on. */
class Structure {
  #depth = 0;
  #values = 0;

  /** True for the bracket that closes the collection. */
  take(byte: number | undefined): boolean {
    if (opens(byte)) {
      this.#depth += 1;
      this.#values += 1;
    } else if (byte === COMMA) this.#values += 1;
    else if (closes(byte)) this.#depth -= 1;
    return this.#depth === 0;
  }

  /** Returns the count that is above its limit, as text. */
  get excess(): string | undefined {
    if (this.#depth > MAX_DEPTH) return `nesting exceeds ${MAX_DEPTH} levels`;
    return this.#values > MAX_DOCUMENT_VALUES ? `document has more than ${MAX_DOCUMENT_VALUES} values` : undefined;
  }
}

/** Returns the offset after the text with its opening quote at `quote`. */
function endOfString(window: ByteWindow, quote: number, start: number): number {
  let at = quote + 1;
  for (;;) {
    const bytes = window.unread;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) return at + 1;
    }
    if (!window.more()) throw cutShort(window, start);
  }
}

const cutShort = (window: ByteWindow, start: number): BlobError =>
  new BlobError(`json: offset ${window.offset + window.unread.length}: unexpected EOF`, lineAt(window, start));
