import type { Readable } from 'node:stream';
import type { AnswerLease } from './answer-bytes.js';
import { TransportError, textOf } from './transport.error.js';

/** etcd holds objects of at most 1.5 MiB; several times that is no longer a watch event. Bytes. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * Lines up to this length are not counted among the bytes that are read at a time: watches
 * are many and rest for long.
 */
const SHORT_LINE = 256 * 1024;

/**
 * A line that comes in small pieces is put together on the way: each costs far more memory than its bytes.
 */
const MOST_PIECES = 4_096;
const LINE_END = 0x0a;
const NOTHING = Buffer.alloc(0);
const BROKEN = 'the connection broke in the middle of the answer';

/** Leases of a long line in the bytes that are read at a time. */
type LineLeases = Readonly<{ lease: () => AnswerLease }>;

/** A reader of lines, one after the other. An object, as tens of thousands wait for a line at a time. */
export interface LineReader {
  /** There is a line to take, or an end. */
  onLines(): void;
}

/**
 * The next item to read: a line, nothing yet, or the end. The end has an error if the server did not end the
 * body.
 */
type LineFound = Readonly<{ line: string } | { end: Readonly<{ error?: unknown }> }> | undefined;

/**
 * The lines of a body, each without its end. The text after the last line end is dropped, being half an
 * event. A line that grows long is counted in a lease until it ends, so that many watches do not hold long
 * lines at the same time. Holds next to nothing between two lines: a fleet has tens of thousands of watches
 * that rest.
 */
export class WatchLines {
  #lines: string[] = [];
  readonly #growing: GrowingLine;
  #waiting: LineReader | undefined;
  #end: Readonly<{ error?: unknown }> | undefined;
  /** The growing line waits until more of it may be read. */
  #held = false;

  constructor(
    private readonly body: Readable,
    /** Asked after the end of the body: whether the server ended it. */
    private readonly whole: () => boolean,
    leases?: LineLeases,
    private readonly signal?: AbortSignal,
  ) {
    this.#growing = new GrowingLine(leases);
    body.on('data', (chunk: Buffer) => this.#take(chunk));
    body.on('error', (error: Error) => this.#failed(error));
    // Whether it is whole shows when all listeners have been called.
    body.on('end', () => setImmediate(() => this.#ended()));
    // After a GOAWAY Node closes the body of the last answer without an end, although all of it was given
    // out.
    body.on('close', () => this.#ended());
    // A body that has closed says so no more, and nothing else would ever end the watch.
    if (body.closed) this.#ended();
  }

  /** Returns the next line, or the end. If there is neither yet, calls `reader` once when there is. */
  take(reader: LineReader): LineFound {
    const line = this.#lines.shift();
    // An array that was filled once keeps room for seventeen.
    if (line !== undefined && this.#lines.length === 0) this.#lines = [];
    if (line !== undefined) return { line };
    if (this.#end !== undefined) return { end: this.#end };
    this.#waiting = reader;
    if (!this.#held) this.body.resume();
    return undefined;
  }

  /** Cancels the watch; there are no more lines. */
  close(): void {
    this.#settle({});
    this.body.destroy();
  }

  #take(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, from)) {
      this.#lines.push(this.#growing.end(chunk.subarray(from, at)));
      from = at + 1;
    }
    if (from < chunk.length) this.#grow(chunk.subarray(from));
    if (this.#lines.length > 0) this.#call();
    if (this.#waiting === undefined) this.body.pause();
  }

  #grow(piece: Buffer): void {
    try {
      this.#hold(this.#growing.grow(piece, this.signal));
    } catch (error) {
      this.#settle({ error });
      this.body.destroy();
    }
  }

  #hold(room: Promise<void> | undefined): void {
    if (room === undefined) return;
    this.#held = true;
    this.body.pause();
    const goOn = () => {
      this.#held = false;
      if (this.#waiting !== undefined) this.body.resume();
    };
    void room.then(goOn, (error: unknown) => this.#settle({ error }));
  }

  #failed(error: Error): void {
    const isKnown = error instanceof TransportError || error.name === 'AbortError';
    this.#settle({ error: isKnown ? error : new TransportError('lost', textOf(error)) });
  }

  #ended(): void {
    this.#settle(this.whole() ? {} : { error: new TransportError('lost', BROKEN) });
  }

  /** The first end counts. */
  #settle(end: Readonly<{ error?: unknown }>): void {
    this.#end ??= end;
    this.#growing.end(NOTHING);
    this.#call();
  }

  #call(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.onLines();
  }
}

/** A line without its end yet. */
class GrowingLine {
  #pieces: Buffer[] = [];
  #length = 0;
  #leased: AnswerLease | undefined;

  constructor(private readonly leases: LineLeases | undefined) {}

  /** Adds a piece. Resolves when more of it may be read. Returns undefined if that is at once. */
  grow(piece: Buffer, signal: AbortSignal | undefined): Promise<void> | undefined {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > LONGEST_LINE) throw new TransportError('too-large', 'one watch event is larger than 16 MiB');
    if (this.#pieces.length >= MOST_PIECES) this.#pieces = [Buffer.concat(this.#pieces, this.#length)];
    if (this.#length <= SHORT_LINE || this.leases === undefined) return undefined;
    const grown = this.#leased === undefined ? this.#length : piece.length;
    this.#leased ??= this.leases.lease();
    return this.#leased.grow(grown, signal);
  }

  /** The whole line with its last part; the next one begins. */
  end(part: Buffer): string {
    const whole = this.#pieces.length === 0 ? part : Buffer.concat([...this.#pieces, part]);
    this.#pieces = [];
    this.#length = 0;
    this.#leased?.release();
    this.#leased = undefined;
    return whole.toString('utf8');
  }
}
