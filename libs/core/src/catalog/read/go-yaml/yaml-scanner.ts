import { scanBlock } from './scan-block.js';
import { scanPlain } from './scan-plain.js';
import { scanQuoted } from './scan-quoted.js';
import { scanDirective, scanTag } from './scan-tag.js';
import { SimpleKeys } from './simple-keys.js';
import {
  AMPERSAND,
  APOSTROPHE,
  AT,
  BACKTICK,
  BANG,
  BAR,
  BYTE_ORDER_MARK,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  DASH,
  GREATER,
  HASH,
  isBlank,
  isBlankOrEnd,
  isBreak,
  isEnd,
  isWord,
  OPEN_LIST,
  OPEN_OBJECT,
  PERCENT,
  QUESTION,
  QUOTE,
  STAR,
} from './yaml-characters.js';
import { type Mark, YamlCursor } from './yaml-cursor.js';
import type { MarkKind, YamlToken } from './yaml-token.js';

type BlockStart = 'block-sequence-start' | 'block-mapping-start';

/**
 * Cuts a YAML text into tokens exactly as go-yaml does, after libyaml's scanner. It accepts and refuses the
 * same texts, and reads ahead as far. Throws YamlError.
 */
export class YamlScanner {
  readonly #cursor: YamlCursor;
  readonly #keys: SimpleKeys;
  /** Tokens that were scanned and not taken, from `#head` on. */
  #queue: YamlToken[] = [];
  #head = 0;
  /** How many tokens were taken. */
  #taken = 0;
  /** Columns of the block collections around the current one. The column of that one is `#indent`. */
  readonly #indents: number[] = [];
  #indent = -1;
  /** How many flow collections are open. */
  #flowLevel = 0;
  #hasEnded = false;

  constructor(text: string) {
    this.#cursor = new YamlCursor(text);
    this.#keys = new SimpleKeys(this.#cursor);
  }

  /** Returns the next token without taking it. */
  peek(): YamlToken {
    while (!this.#hasEnded && this.#needsMore()) this.#fetch();
    const token = this.#queue[this.#head];
    if (token === undefined) throw new Error('the tokens of a YAML stream were read past its end');
    return token;
  }

  /** Drops the token that was peeked. */
  skip(): void {
    this.#taken += 1;
    this.#head += 1;
    if (this.#head < this.#queue.length) return;
    this.#queue = [];
    this.#head = 0;
  }

  /** Drops the next token, and returns the one after it. */
  next(): YamlToken {
    this.skip();
    return this.peek();
  }

  /** True while the next token is not known: the scanned token may turn out to be a key. */
  #needsMore(): boolean {
    return this.#head === this.#queue.length || this.#keys.mayBegin(this.#taken);
  }

  #push(token: YamlToken): void {
    this.#queue.push(token);
  }

  /** Returns the number of the next token that is scanned. */
  get #number(): number {
    return this.#taken + this.#queue.length - this.#head;
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#toNextToken();
    this.#unroll(cursor.column);
    const code = cursor.code();
    if (isEnd(code)) this.#end();
    else if (cursor.column === 0 && code === PERCENT) this.#directive();
    else if (cursor.atDocumentMark()) this.#documentMark(code);
    else if (!this.#indicator(code) && !this.#property(code) && !this.#scalar(code)) {
      cursor.fail('found character that cannot start any token');
    }
  }

  /** Skips white space, comments and line ends. A tab is no white space if a block may begin there. */
  #toNextToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.at === 0 && cursor.code() === BYTE_ORDER_MARK) cursor.fail('found a second byte order mark');
      if (this.#flowLevel > 0 || !this.#keys.isAllowed) cursor.skipBlanks();
      else cursor.skipSpaces();
      cursor.skipComment();
      if (!isBreak(cursor.code())) return;
      cursor.readBreak();
      if (this.#flowLevel === 0) this.#keys.isAllowed = true;
    }
  }

  #end(): void {
    const line = this.#cursor.lastLine();
    this.#cursor.endLine();
    this.#unroll(-1);
    this.#keys.remove();
    this.#keys.isAllowed = false;
    this.#push({ kind: 'stream-end', mark: { ...this.#cursor.mark, line } });
    this.#hasEnded = true;
  }

  #directive(): void {
    this.#unroll(-1);
    this.#keys.remove();
    this.#keys.isAllowed = false;
    this.#push(scanDirective(this.#cursor));
  }

  #documentMark(code: number): void {
    this.#unroll(-1);
    this.#keys.remove();
    this.#keys.isAllowed = false;
    this.#mark(code === DASH ? 'document-start' : 'document-end', 3);
  }

  /** Pushes a token of as many characters as it has. */
  #mark(kind: MarkKind, length = 1): void {
    const { mark } = this.#cursor;
    this.#cursor.at += length;
    this.#push({ kind, mark });
  }

  /** Scans a token that is part of a collection. */
  #indicator(code: number): boolean {
    switch (code) {
      case OPEN_LIST:
      case OPEN_OBJECT:
        this.#openFlow(code);
        return true;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        this.#closeFlow(code);
        return true;
      case COMMA:
        this.#keys.remove();
        this.#keys.isAllowed = true;
        this.#mark('flow-entry');
        return true;
      case DASH:
        return isBlankOrEnd(this.#cursor.code(1)) && this.#entry();
      case QUESTION:
        return this.#mayIndicate() && this.#key();
      case COLON:
        return this.#mayIndicate() && this.#value();
      default:
        return false;
    }
  }

  #mayIndicate(): boolean {
    return this.#flowLevel > 0 || isBlankOrEnd(this.#cursor.code(1));
  }

  #openFlow(code: number): void {
    this.#keys.save(this.#number, this.#isAtIndent);
    this.#keys.open(this.#number);
    this.#flowLevel += 1;
    this.#keys.isAllowed = true;
    this.#mark(code === OPEN_LIST ? 'flow-sequence-start' : 'flow-mapping-start');
  }

  #closeFlow(code: number): void {
    this.#keys.remove();
    if (this.#flowLevel > 0) {
      this.#flowLevel -= 1;
      this.#keys.close();
    }
    this.#keys.isAllowed = false;
    this.#mark(code === CLOSE_LIST ? 'flow-sequence-end' : 'flow-mapping-end');
  }

  #entry(): boolean {
    // In flow style the parser refuses the token.
    if (this.#flowLevel === 0) {
      if (!this.#keys.isAllowed) this.#cursor.fail('block sequence entries are not allowed in this context');
      this.#roll('block-sequence-start');
    }
    this.#keys.remove();
    this.#keys.isAllowed = true;
    this.#mark('block-entry');
    return true;
  }

  #key(): boolean {
    if (this.#flowLevel === 0) {
      if (!this.#keys.isAllowed) this.#cursor.fail('mapping keys are not allowed in this context');
      this.#roll('block-mapping-start');
    }
    this.#keys.remove();
    this.#keys.isAllowed = this.#flowLevel === 0;
    this.#mark('key');
    return true;
  }

  #value(): boolean {
    const key = this.#keys.take();
    if (key !== undefined) {
      const place = this.#head + key.number - this.#taken;
      this.#queue.splice(place, 0, { kind: 'key', mark: key.mark });
      this.#roll('block-mapping-start', key.mark, place);
      this.#keys.isAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#keys.isAllowed) this.#cursor.fail('mapping values are not allowed in this context');
        this.#roll('block-mapping-start');
      }
      this.#keys.isAllowed = this.#flowLevel === 0;
    }
    this.#mark('value');
    return true;
  }

  /** Begins a block collection if the column is a deeper one. */
  #roll(kind: BlockStart, mark: Mark = this.#cursor.mark, place = this.#queue.length): void {
    if (this.#flowLevel > 0 || this.#indent >= mark.column) return;
    this.#indents.push(this.#indent);
    this.#indent = mark.column;
    this.#queue.splice(place, 0, { kind, mark });
  }

  /** Ends the block collections of deeper columns. */
  #unroll(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#push({ kind: 'block-end', mark: this.#cursor.mark });
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  get #isAtIndent(): boolean {
    return this.#flowLevel === 0 && this.#indent === this.#cursor.column;
  }

  /** Scans an anchor, an alias or a tag. */
  #property(code: number): boolean {
    if (code !== STAR && code !== AMPERSAND && code !== BANG) return false;
    this.#keys.save(this.#number, this.#isAtIndent);
    this.#keys.isAllowed = false;
    this.#push(code === BANG ? scanTag(this.#cursor) : this.#anchor(code === STAR ? 'alias' : 'anchor'));
    return true;
  }

  #anchor(kind: 'alias' | 'anchor'): YamlToken {
    const cursor = this.#cursor;
    const { mark } = cursor;
    cursor.at += 1;
    while (isWord(cursor.code())) cursor.at += 1;
    const name = cursor.text.slice(mark.at + 1, cursor.at);
    if (name === '' || !(isBlankOrEnd(cursor.code()) || AFTER_ANCHOR.has(cursor.code()))) {
      cursor.fail('did not find expected alphabetic or numeric character');
    }
    return { kind, mark, name };
  }

  #scalar(code: number): boolean {
    const cursor = this.#cursor;
    const { mark } = cursor;
    if ((code === BAR || code === GREATER) && this.#flowLevel === 0) {
      this.#keys.remove();
      this.#keys.isAllowed = true;
      this.#push({ kind: 'scalar', mark, value: scanBlock(cursor, this.#indent, code === BAR), isPlain: false });
      return true;
    }
    const isPlain = code !== QUOTE && code !== APOSTROPHE;
    if (isPlain && !this.#mayBeginPlain(code)) return false;
    this.#keys.save(this.#number, this.#isAtIndent);
    this.#keys.isAllowed = false;
    if (isPlain) this.#plain(mark);
    else this.#push({ kind: 'scalar', mark, value: scanQuoted(cursor), isPlain });
    return true;
  }

  #plain(mark: Mark): void {
    const place = { indent: this.#indent, inFlow: this.#flowLevel > 0 };
    const { value, endsLine } = scanPlain(this.#cursor, place);
    if (endsLine) this.#keys.isAllowed = true;
    this.#push({ kind: 'scalar', mark, value, isPlain: true });
  }

  #mayBeginPlain(code: number): boolean {
    if (code === DASH) return !isBlank(this.#cursor.code(1));
    if (code === QUESTION || code === COLON) return this.#flowLevel === 0 && !isBlankOrEnd(this.#cursor.code(1));
    return !isBlankOrEnd(code) && !INDICATORS.has(code);
  }
}

/** Characters other than white space that may follow an anchor or an alias. */
const AFTER_ANCHOR = new Set([QUESTION, COLON, COMMA, CLOSE_LIST, CLOSE_OBJECT, PERCENT, AT, BACKTICK]);
/** Characters that never begin a plain scalar. */
const INDICATORS = new Set([
  ...[COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, HASH, AMPERSAND, STAR, BANG, BAR, GREATER],
  ...[APOSTROPHE, QUOTE, PERCENT, AT, BACKTICK],
]);
