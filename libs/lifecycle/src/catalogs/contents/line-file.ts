import { closeSync, openSync, writeSync } from 'node:fs';

const FLUSH_CHARACTERS = 256 * 1024;

/** A file written from its beginning to its end, in a thread that may wait for the disk. */
export class LineFile {
  readonly #file: number;
  #pending: string[] = [];
  #length = 0;

  constructor(
    readonly path: string,
    private readonly onWritten: (bytes: number) => void = () => undefined,
  ) {
    this.#file = openSync(path, 'wx', 0o600);
  }

  write(text: string): void {
    this.#pending.push(text);
    this.#length += text.length;
    if (this.#length >= FLUSH_CHARACTERS) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#pending.join(''));
    this.onWritten(bytes.length);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.#pending = [];
    this.#length = 0;
  }
}
