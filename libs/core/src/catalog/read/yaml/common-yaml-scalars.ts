import { plainScalar as goScalar, keyText, plainValue } from '../go-yaml/yaml-scalar.js';
import { escapedText } from './common-yaml-escapes.js';
import { UNCOMMON } from './uncommon-yaml.js';

const LINE_FEED = 0x0a;
const BLANK = 0x20;
const QUOTE = 0x22;
const HASH = 0x23;
const APOSTROPHE = 0x27;
const PLUS = 0x2b;
const DASH = 0x2d;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** Returns for each ASCII character true if it is among these. */
const among = (characters: string): readonly boolean[] =>
  Array.from({ length: 128 }, (_, code) => characters.includes(String.fromCharCode(code)));
/** Characters that begin no plain scalars, or few. */
const INDICATES = among('#&*!|>\'"%@`,[]{}?:');
/** First characters of plain scalars that may be something else than text. */
const MAY_MEAN = among('~nNyYtTfFoO+-.0123456789<');

/** Longest key, about: YAML has a limit of 1024 characters. */
const MAX_KEY = 1000;

/**
 * Reads keys and scalars of common YAML. Throws {@link UNCOMMON} for every other form. A scalar begins at
 * `at` and belongs to a collection in the given column: lines that continue it have a larger margin. Behind
 * it `at` and `margin` are those of the next line with content.
 */
export class CommonScalars {
  /** Offset of the next character. */
  protected at = 0;
  /** Blanks before the content of the line at `at`; -1 at the end of the text. */
  protected margin = 0;
  /** Behind the last escape of the line of a quoted scalar that was read last. */
  #escapeEnd = 0;

  constructor(protected readonly text: string) {}

  protected get isAtEnd(): boolean {
    return this.margin === -1;
  }

  /** Moves from the start of a line to the content of the first one that is not empty and no comment. */
  protected nextContent(): void {
    for (let line = this.at; ; line = this.at) {
      this.skipBlanks();
      const code = this.text.charCodeAt(this.at);
      if (code === LINE_FEED) this.at += 1;
      else if (code === HASH) this.#toNextLine();
      else if (code < BLANK) throw UNCOMMON;
      else {
        this.margin = Number.isNaN(code) ? -1 : this.at - line;
        return;
      }
    }
  }

  #toNextLine(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end < 0 ? this.text.length : end + 1;
  }

  protected skipBlanks(): void {
    const { text } = this;
    let { at } = this;
    while (text.charCodeAt(at) === BLANK) at += 1;
    this.at = at;
  }

  /** True if only blanks are left of the line. Then moves `at` to the next line. */
  protected atLineEnd(): boolean {
    this.skipBlanks();
    const code = this.text.charCodeAt(this.at);
    if (code === LINE_FEED) this.at += 1;
    return code === LINE_FEED || Number.isNaN(code);
  }

  /** Ends a node on this line, and moves to the next content. */
  protected endOfNode(): void {
    if (!this.atLineEnd()) throw UNCOMMON;
    this.nextContent();
  }

  /** True if a key with its colon begins at `at`. */
  protected atKey(): boolean {
    const first = this.text.charCodeAt(this.at);
    if (isQuote(first)) {
      const stop = this.#quotedStop(first, this.at + 1);
      return this.text.charCodeAt(stop) === first && this.#isColon(stop + 1);
    }
    return !INDICATES[first] && this.#isColon(this.#plainStop(this.at));
  }

  /** Reads the key at `at`. Afterwards `at` is behind its colon. */
  protected key(): string {
    const start = this.at;
    const first = this.text.charCodeAt(start);
    if (isQuote(first)) {
      const stop = this.#quotedStop(first, start + 1);
      if (this.text.charCodeAt(stop) !== first || !this.#isColon(stop + 1)) throw UNCOMMON;
      if (stop - start > MAX_KEY) throw UNCOMMON;
      this.at = stop + 2;
      return keyNamed(quotedText(first, this.text.slice(start + 1, stop)));
    }
    const stop = this.#plainStart();
    if (!this.#isColon(stop) || this.text.charCodeAt(stop - 1) === BLANK || stop - start > MAX_KEY) throw UNCOMMON;
    this.at = stop + 1;
    const source = this.text.slice(start, stop);
    return keyNamed(MAY_MEAN[first] ? plainKey(source) : source);
  }

  #isColon(at: number): boolean {
    return this.text.charCodeAt(at) === COLON && isSpaceOrEnd(this.text.charCodeAt(at + 1));
  }

  /** Checks the start of a plain scalar at `at`, and returns the end of its line. */
  #plainStart(): number {
    const first = this.text.charCodeAt(this.at);
    if (INDICATES[first]) throw UNCOMMON;
    if (first === DASH && isSpaceOrEnd(this.text.charCodeAt(this.at + 1))) throw UNCOMMON;
    return this.#plainStop(this.at);
  }

  /** Returns the end of the line with a plain scalar from `from` on, or the colon of a key. */
  #plainStop(from: number): number {
    const { text } = this;
    for (let at = from; ; at += 1) {
      const code = text.charCodeAt(at);
      const isText = code > COLON || (code >= BLANK && code !== COLON && code !== HASH);
      if (!isText && this.#stopsPlain(code, at)) return at;
    }
  }

  #stopsPlain(code: number, at: number): boolean {
    if (code === COLON) return isSpaceOrEnd(this.text.charCodeAt(at + 1));
    const isComment = code === HASH && this.text.charCodeAt(at - 1) === BLANK;
    if (isComment || (code < BLANK && code !== LINE_FEED)) throw UNCOMMON;
    return code !== HASH;
  }

  protected plain(column: number): unknown {
    const first = this.text.charCodeAt(this.at);
    let source = this.#plainLine(this.#plainStart());
    for (;;) {
      const breaks = this.#nextLine();
      if (this.text.charCodeAt(this.at) === HASH) {
        this.nextContent();
        break;
      }
      if (this.margin <= column) break;
      source += folded(breaks) + this.#plainLine(this.#plainStop(this.at));
    }
    return MAY_MEAN[first] ? plainScalar(source) : source;
  }

  /** Reads from `at` to the end of the line, without the blanks there. */
  #plainLine(stop: number): string {
    if (this.text.charCodeAt(stop) === COLON) throw UNCOMMON;
    const line = this.text.slice(this.at, this.#withoutBlanks(stop));
    this.at = stop;
    return line;
  }

  #withoutBlanks(stop: number): number {
    let end = stop;
    while (this.text.charCodeAt(end - 1) === BLANK) end -= 1;
    return end;
  }

  /**
   * Moves from the end of a line to the content of the next one that is not empty. Returns the number of line
   * ends.
   */
  #nextLine(): number {
    for (let breaks = 0, line = this.at; ; line = this.at) {
      this.skipBlanks();
      const code = this.text.charCodeAt(this.at);
      if (code === LINE_FEED) {
        this.at += 1;
        breaks += 1;
      } else if (code < BLANK) throw UNCOMMON;
      else {
        this.margin = Number.isNaN(code) ? -1 : this.at - line;
        return breaks;
      }
    }
  }

  /** Reads a scalar in quotes from its opening quote at `at`. */
  protected quoted(column: number): string {
    const quote = this.text.charCodeAt(this.at);
    this.at += 1;
    let value = '';
    for (;;) {
      const from = this.at;
      const stop = this.#quotedStop(quote, from);
      this.at = stop;
      if (this.text.charCodeAt(stop) === quote) {
        value += quotedText(quote, this.text.slice(from, stop));
        this.at += 1;
        this.endOfNode();
        return value;
      }
      const escapedBreak = this.#escapeEnd > stop;
      const end = escapedBreak ? stop - 1 : Math.max(this.#withoutBlanks(stop), this.#escapeEnd, from);
      value += quotedText(quote, this.text.slice(from, end));
      const breaks = this.#nextLine();
      if (this.margin <= column) throw UNCOMMON;
      value += escapedBreak ? '\n'.repeat(breaks - 1) : folded(breaks);
    }
  }

  /** Returns the stop of a quoted scalar's line from `from` on: the closing quote or the end of the line. */
  #quotedStop(quote: number, from: number): number {
    this.#escapeEnd = from;
    return quote === QUOTE ? this.#doubleQuotedStop(from) : this.#singleQuotedStop(from);
  }

  #singleQuotedStop(from: number): number {
    const { text } = this;
    for (let at = from; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === APOSTROPHE) {
        if (text.charCodeAt(at + 1) !== APOSTROPHE) return at;
        at += 1;
      } else if (isLineEnd(code)) return at;
    }
  }

  #doubleQuotedStop(from: number): number {
    const { text } = this;
    for (let at = from; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH) {
        at += 1;
        this.#escapeEnd = at + 1;
        if (text.charCodeAt(at) === LINE_FEED) return at;
      } else if (code === QUOTE || isLineEnd(code)) return at;
    }
  }

  /** Reads a literal scalar from its bar at `at`. */
  protected literal(column: number): string {
    const sign = this.text.charCodeAt(this.at + 1);
    this.at += sign === DASH || sign === PLUS ? 2 : 1;
    if (this.text.charCodeAt(this.at) !== LINE_FEED) throw UNCOMMON;
    this.at += 1;
    const lines = this.#literalLines(this.#literalMargin(column));
    let filled = lines.length;
    while (lines[filled - 1] === '') filled -= 1;
    const text = filled === lines.length ? lines.join('\n') : lines.slice(0, filled).join('\n');
    if (sign === DASH) return text;
    return sign === PLUS ? text + '\n'.repeat(1 + lines.length - filled) : `${text}\n`;
  }

  /** Returns the margin of the first line with content. All lines of the scalar have it. */
  #literalMargin(column: number): number {
    const { text } = this;
    let mostBlanks = 0;
    for (let line = this.at; ; ) {
      const content = contentOf(text, line);
      const code = text.charCodeAt(content);
      const margin = content - line;
      if (code !== LINE_FEED) {
        if (!(code >= BLANK) || margin <= column || margin < mostBlanks) throw UNCOMMON;
        return margin;
      }
      mostBlanks = Math.max(mostBlanks, margin);
      line = content + 1;
    }
  }

  /** Lines without their margin, from `at` on; empty ones at the end are part of it. */
  #literalLines(margin: number): string[] {
    const { text } = this;
    const lines: string[] = [];
    let line = this.at;
    for (;;) {
      const content = contentOf(text, line);
      const code = text.charCodeAt(content);
      if (Number.isNaN(code)) {
        if (content - line > margin) throw UNCOMMON;
        break;
      }
      if (code !== LINE_FEED && content - line < margin) break;
      const end = text.indexOf('\n', content);
      // Without a line end the last line has none in the value either.
      if (end < 0) throw UNCOMMON;
      lines.push(text.slice(line + margin, end));
      line = end + 1;
    }
    this.at = line;
    this.nextContent();
    return lines;
  }
}

const isQuote = (code: number): boolean => code === QUOTE || code === APOSTROPHE;

/**
 * True if a line of a quoted scalar ends here. Throws {@link UNCOMMON} for a character that such a line may
 * not have.
 */
function isLineEnd(code: number): boolean {
  if (code >= BLANK) return false;
  if (code !== LINE_FEED) throw UNCOMMON;
  return true;
}

const isSpaceOrEnd = (code: number): boolean => code === BLANK || code === LINE_FEED || Number.isNaN(code);

/** Returns the text that replaces line breaks within a scalar with folded lines. */
const folded = (breaks: number): string => (breaks === 1 ? ' ' : '\n'.repeat(breaks - 1));

/** Returns the first offset from `line` on that has no blank. */
function contentOf(text: string, line: number): number {
  let at = line;
  while (text.charCodeAt(at) === BLANK) at += 1;
  return at;
}

/** Returns the text between quotes, on one line. */
function quotedText(quote: number, source: string): string {
  if (quote === QUOTE) return source.includes('\\') ? escapedText(source) : source;
  return source.includes("''") ? source.replaceAll("''", "'") : source;
}

function plainScalar(source: string): string | number | boolean | null {
  const value = plainValue(source);
  if (value === undefined) throw UNCOMMON;
  return value;
}

function plainKey(source: string): string {
  const key = source === '<<' ? undefined : keyText(goScalar(source));
  if (key === undefined) throw UNCOMMON;
  return key;
}

/** Returns the key. Throws {@link UNCOMMON} for `__proto__`, the key that needs care. */
function keyNamed(key: string): string {
  if (key === '__proto__') throw UNCOMMON;
  return key;
}
