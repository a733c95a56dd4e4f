const HEAD_END = '\r\n\r\n';
const LINE_END = '\r\n';

type Framing = 'head' | 'known' | 'size' | 'chunk' | 'after-chunk' | 'trailer' | 'done';

/**
 * Reads one answer of HTTP/1.1 as its bytes come, and keeps none of the body. Measures need so little: a body
 * by its length or in chunks, no answer before the last one.
 */
export class AnswerReader {
  status = 0;
  /** Bytes of the body so far, without the framing of chunks. */
  bytes = 0;
  #next: Framing = 'head';
  #left = 0;
  /** The received part of a head or a line that is not complete yet. */
  #text = '';

  constructor(private readonly take: (piece: Buffer) => void = () => {}) {}

  get done(): boolean {
    return this.#next === 'done';
  }

  read(received: Buffer): void {
    let at = 0;
    while (at < received.length && !this.done) at = this.#step(received, at);
  }

  /** Takes one unit from there: a head, a line or a part of the body. Returns its end. */
  #step(received: Buffer, at: number): number {
    if (this.#next === 'known' || this.#next === 'chunk') return this.#body(received, at);
    const end = this.#next === 'head' ? HEAD_END : LINE_END;
    const before = this.#text.length;
    // Heads and lines are short, so the bytes after them are not made into text.
    this.#text += received.toString('latin1', at, Math.min(received.length, at + 4_096));
    const found = this.#text.indexOf(end);
    if (found === -1) return Math.min(received.length, at + 4_096);
    const text = this.#text.slice(0, found);
    this.#text = '';
    this.#line(text);
    return at + found + end.length - before;
  }

  #line(text: string): void {
    if (this.#next === 'head') this.#head(text);
    else if (this.#next === 'after-chunk') this.#next = 'size';
    else if (this.#next === 'trailer') this.#next = text === '' ? 'done' : 'trailer';
    else {
      this.#left = Number.parseInt(text, 16);
      this.#next = this.#left === 0 ? 'trailer' : 'chunk';
    }
  }

  #head(text: string): void {
    this.status = Number(text.split(' ', 2)[1]);
    const inChunks = /^transfer-encoding: *chunked/im.test(text);
    this.#left = Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0);
    if (inChunks) this.#next = 'size';
    else this.#next = this.#left === 0 ? 'done' : 'known';
  }

  #body(received: Buffer, at: number): number {
    const end = Math.min(received.length, at + this.#left);
    this.take(received.subarray(at, end));
    this.bytes += end - at;
    this.#left -= end - at;
    if (this.#left === 0) this.#next = this.#next === 'known' ? 'done' : 'after-chunk';
    return end;
  }
}
