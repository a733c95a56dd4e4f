import { visibleText } from '#core/kernel/text/visible-text';
import type { Io } from '../../../terminal/io.js';
import type { LivePicture } from './live-picture.js';

const USUAL_COLUMNS = 80;

/** A live picture on a terminal: each is drawn over the one before. */
export class RedrawnPicture {
  #shown = 0;

  constructor(readonly io: Pick<Io, 'control' | 'err' | 'columns' | 'rows'>) {}

  /**
   * Draws the picture of a time, in seconds since the start, as large as the terminal is now; `below` is a
   * line that follows it.
   */
  draw(picture: LivePicture, now: number, below?: string): void {
    const columns = this.io.columns ?? USUAL_COLUMNS;
    const rows = this.io.rows === undefined || below === undefined ? this.io.rows : this.io.rows - 1;
    const lines = [...picture.lines(now, columns, rows)];
    if (below !== undefined)
      lines.push(
        visibleText(below)
          .replaceAll('\n', ' ')
          .slice(0, columns - 1),
      );
    // Back to the first line of the picture before, and over it line by line.
    this.#write(`${this.#back}${lines.map((line) => `\r\u001b[K${line}\n`).join('')}\u001b[J`);
    this.#shown = lines.length;
  }

  clear(): void {
    if (this.#shown > 0) this.#write(`${this.#back}\r\u001b[J`);
    this.#shown = 0;
  }

  /** Leaves the picture as it is: later text is below it. */
  keep(): void {
    this.#shown = 0;
  }

  get #back(): string {
    return this.#shown > 0 ? `\u001b[${this.#shown}A` : '';
  }

  #write(text: string): void {
    (this.io.control ?? this.io.err)(text);
  }
}
