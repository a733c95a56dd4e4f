import { YamlError } from './yaml.error.js';
import {
  BLANK,
  DASH,
  DOT,
  HASH,
  isBlank,
  isBlankOrEnd,
  isBreak,
  isBreakOrEnd,
  LINE_FEED,
  RETURN,
  staysInScalars,
} from './yaml-characters.js';

/** A place in a text: an offset, and the line and column from 0 on. */
export type Mark = Readonly<{ at: number; line: number; column: number }>;

/** Two more than the longest sequence of characters that a scanner reads ahead of the end. */
const END = '\0'.repeat(10);

/** Reads a text character by character, and counts its lines. */
export class YamlCursor {
  readonly text: string;
  at = 0;
  line = 0;
  #lineStart = 0;

  constructor(text: string) {
    this.text = text + END;
  }

  get column(): number {
    return this.at - this.#lineStart;
  }

  get mark(): Mark {
    return { at: this.at, line: this.line, column: this.column };
  }

  /** Returns the code of the character `ahead` of the current one. */
  code(ahead = 0): number {
    return this.text.charCodeAt(this.at + ahead);
  }

  /** Skips one line end of one or two characters, and returns its text in a scalar. */
  readBreak(): string {
    const code = this.code();
    if (!isBreak(code)) return '';
    this.at += code === RETURN && this.code(1) === LINE_FEED ? 2 : 1;
    this.line += 1;
    this.#lineStart = this.at;
    return staysInScalars(code) ? String.fromCharCode(code) : '\n';
  }

  /** Returns the last line up to here that is not blank. */
  lastLine(): number {
    let { at, line } = this;
    for (; at > 0; at -= 1) {
      const code = this.text.charCodeAt(at - 1);
      if (isBreak(code)) line -= code === LINE_FEED && this.text.charCodeAt(at - 2) === RETURN ? 0 : 1;
      else if (!isBlank(code)) break;
    }
    return Math.max(line, 0);
  }

  /** Ends a last line that has no line end. */
  endLine(): void {
    if (this.column === 0) return;
    this.line += 1;
    this.#lineStart = this.at;
  }

  skipBlanks(): void {
    while (isBlank(this.code())) this.at += 1;
  }

  skipSpaces(): void {
    while (this.code() === BLANK) this.at += 1;
  }

  /** Skips a comment up to the end of its line. */
  skipComment(): void {
    if (this.code() !== HASH) return;
    while (!isBreakOrEnd(this.code())) this.at += 1;
  }

  /** Skips blanks and a comment. The line must end after them. */
  skipRestOfLine(): void {
    this.skipBlanks();
    this.skipComment();
    if (!isBreakOrEnd(this.code())) this.fail('did not find expected comment or line break');
    this.readBreak();
  }

  /** True if a line begins here with `---` or `...`. */
  atDocumentMark(): boolean {
    const code = this.code();
    return (
      (code === DASH || code === DOT) &&
      this.column === 0 &&
      this.code(1) === code &&
      this.code(2) === code &&
      isBlankOrEnd(this.code(3))
    );
  }

  fail(reason: string, { line }: Readonly<{ line: number }> = this): never {
    throw new YamlError(reason, line);
  }
}
