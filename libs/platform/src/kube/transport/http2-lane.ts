import http2, { type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';
import { TransportError, textOf } from './transport.error.js';
import type { Exchange, RequestHeaders, WireRequest } from './wire.js';

const {
  NGHTTP2_REFUSED_STREAM,
  NGHTTP2_CANCEL,
  NGHTTP2_NO_ERROR,
  HTTP2_HEADER_METHOD,
  HTTP2_HEADER_PATH,
  HTTP2_HEADER_STATUS,
} = http2.constants;
const SESSION_WINDOW = 8 * 1024 * 1024;
const UNLIMITED_STREAMS = 1000;

/** Node 24.2 and newer take names and values in turns. */
const TAKES_LISTS = takesLists(process.versions.node);

function takesLists(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 2);
}

/**
 * Returns the headers as a list. Node keeps them as long as the stream, and a list takes a quarter of the
 * memory of its own object.
 */
const headerList = (headers: RequestHeaders): string[] =>
  Object.entries(headers)
    .flatMap(([name, value]) => (typeof value === 'string' ? [name, value] : value.flatMap((one) => [name, one])))
    // Without the room to grow that the array has so far.
    .slice();

type LanePing = Readonly<{ pingIntervalMs: number; pingTimeoutMs: number }>;

/** Bytes beside answers that a session may receive between two checks. */
const FRAMES_CHECKED_MS = 5_000;
const MOST_FRAME_BYTES = 128 * 1024;
/** Bytes for the headers of an answer. */
const FRAME_BYTES_OF_STREAM = 8 * 1024;

const wasEnded = (stream: ClientHttp2Stream): boolean => !stream.aborted && stream.rstCode === NGHTTP2_NO_ERROR;

function cancel(stream: ClientHttp2Stream, reason: unknown): void {
  stream.close(NGHTTP2_CANCEL);
  stream.destroy(reason instanceof Error ? reason : new Error(textOf(reason)));
}

/** One HTTP/2 session: counts its streams, finds out by pings when its peer is gone, obeys GOAWAY. */
export class Http2Lane {
  #streams = 0;
  #draining = false;
  #greeted = false;
  #lastStream = Number.POSITIVE_INFINITY;
  #whyEnded = 'the connection was closed';
  #pinging: NodeJS.Timeout;
  readonly #frames: FrameBudget;
  readonly #checkingFrames: NodeJS.Timeout;

  constructor(
    private readonly session: ClientHttp2Session,
    /** The connection of the session, to see how much it has read. */
    socket: Readonly<{ bytesRead: number }>,
    ping: LanePing,
    private readonly listener: Readonly<{ onOpen: () => void; onRoom: () => void; onEnd: () => void }>,
    checkMs = FRAMES_CHECKED_MS,
  ) {
    this.#frames = new FrameBudget(socket);
    this.#checkingFrames = setInterval(() => this.#checkFrames(checkMs), checkMs).unref();
    session.once('connect', () => {
      // 'connect' fires one tick late; if the session is destroyed by then,
      // setLocalWindowSize throws uncaught.
      if (!session.destroyed) session.setLocalWindowSize(SESSION_WINDOW);
    });
    session.once('remoteSettings', () => {
      this.#greeted = true;
      this.listener.onOpen();
    });
    session.on('goaway', (code, lastStream) => {
      this.#draining = true;
      this.#lastStream = lastStream;
      if (code !== NGHTTP2_NO_ERROR) this.#whyEnded = `the server sent GOAWAY (code ${code})`;
    });
    session.on('error', (error) => {
      this.#whyEnded = textOf(error);
    });
    this.#pinging = setInterval(() => this.#ping(ping.pingTimeoutMs), ping.pingIntervalMs).unref();
    session.once('close', () => {
      this.#draining = true;
      clearInterval(this.#pinging);
      clearInterval(this.#checkingFrames);
      this.listener.onEnd();
    });
  }

  get open(): boolean {
    return !this.#draining && !this.session.closed && !this.session.destroyed;
  }

  /** The server has not sent its limits yet: requests now could be more than it takes. */
  get opening(): boolean {
    return this.open && !this.#greeted;
  }

  get free(): number {
    if (this.opening) return 0;
    return Math.max(this.session.remoteSettings.maxConcurrentStreams ?? UNLIMITED_STREAMS, 1) - this.#streams;
  }

  retire(): void {
    this.#draining = true;
    if (!this.session.closed) this.session.close();
  }

  destroy(): void {
    this.#draining = true;
    // Without a code the open streams would end as if the server had ended them.
    this.session.destroy(undefined, NGHTTP2_CANCEL);
  }

  async send(request: WireRequest): Promise<Exchange> {
    const stream = this.#open(request);
    const answer = this.#answerOf(stream);
    if (!request.longLived) return answer;
    const stop = () => cancel(stream, request.signal.reason);
    request.signal.addEventListener('abort', stop, { once: true });
    if (request.signal.aborted) stop();
    return answer.finally(() => request.signal.removeEventListener('abort', stop));
  }

  /**
   * Returns the answer of a stream. Its handlers stay as long as the stream: tens of thousands of watches
   * rest, so they hold little.
   */
  #answerOf(stream: ClientHttp2Stream): Promise<Exchange> {
    const { promise, ...settle } = Promise.withResolvers<Exchange>();
    let waiting: typeof settle | undefined = settle;
    this.#streams += 1;
    this.#frames.count(stream);
    stream.on('error', (error) => waiting?.reject(this.#failure(stream, error)));
    stream.once('response', (headers) => {
      waiting?.resolve({
        status: Number(headers[HTTP2_HEADER_STATUS]),
        headers,
        body: stream,
        whole: () => wasEnded(stream),
        cancel: (reason) => cancel(stream, reason),
      });
      waiting = undefined;
    });
    stream.once('close', () => {
      this.#streams -= 1;
      this.listener.onRoom();
      // Every stream closes; an error with its stack is created only if a caller waits for it.
      waiting?.reject(this.#failure(stream, new Error(this.#whyEnded)));
    });
    return promise;
  }

  #open(request: WireRequest): ClientHttp2Stream {
    // Node would hold the signal of a watch as long as the watch rests.
    const { longLived, signal } = request;
    try {
      const headers = {
        ...request.headers,
        [HTTP2_HEADER_METHOD]: request.method,
        [HTTP2_HEADER_PATH]: request.path,
      };
      const stream = this.session.request(TAKES_LISTS ? headerList(headers) : headers, {
        endStream: request.body === undefined,
        ...(longLived ? {} : { signal }),
      });
      if (request.body !== undefined) stream.end(request.body);
      return stream;
    } catch (error) {
      throw new TransportError('not-processed', textOf(error));
    }
  }

  #failure(stream: ClientHttp2Stream, error: Error): Error {
    if (error.name === 'AbortError') return error;
    const unseen = stream.rstCode === NGHTTP2_REFUSED_STREAM || stream.id === undefined || stream.id > this.#lastStream;
    return new TransportError(unseen ? 'not-processed' : 'lost', textOf(error));
  }

  /** Frames that belong to no answer have no other bound, and cost CPU as long as the session is open. */
  #checkFrames(withinMs: number): void {
    const excess = this.#frames.check();
    if (excess === undefined || this.session.destroyed) return;
    const sent = `${Math.round(excess / 1024)} KiB of HTTP/2 frames that are not answers`;
    const text = `the server sent ${sent} in ${withinMs / 1000} s`;
    this.session.destroy(new TransportError('lost', text), NGHTTP2_CANCEL);
  }

  #ping(timeoutMs: number): void {
    if (this.session.destroyed || this.session.closed) return;
    const silent = setTimeout(() => {
      this.session.destroy(new TransportError('lost', `no answer to a ping within ${timeoutMs} ms`), NGHTTP2_CANCEL);
    }, timeoutMs).unref();
    try {
      this.session.ping(() => clearTimeout(silent));
    } catch {
      // Too many pings unanswered: the timer of the first one ends the session.
    }
  }
}

/**
 * Bytes that a session reads and that belong to no answer: SETTINGS, PING, ALTSVC, WINDOW_UPDATE, padding,
 * unknown frames, and frames of streams that have ended.
 */
class FrameBudget {
  #read: number;
  #payload = 0;
  #opened = 0;
  readonly #push: ClientHttp2Stream['push'];

  constructor(private readonly socket: Readonly<{ bytesRead: number }>) {
    this.#read = socket.bytesRead;
    const note = (bytes: number) => {
      this.#payload += bytes;
    };
    // One function for all streams of a session: tens of thousands of watches rest.
    this.#push = function (this: ClientHttp2Stream, chunk: Buffer | null, encoding?: BufferEncoding) {
      note(chunk?.length ?? 0);
      return Readable.prototype.push.call(this, chunk, encoding);
    };
  }

  /** Counts the bytes of the stream as an answer. */
  count(stream: ClientHttp2Stream): void {
    this.#opened += 1;
    stream.push = this.#push;
  }

  /** Returns the bytes outside answers since the last check if they are too many. */
  check(): number | undefined {
    const read = this.socket.bytesRead;
    const excess = read - this.#read - this.#payload;
    // Frames of an answer have headers, and may be short: each byte of it may bring one of them.
    const most = MOST_FRAME_BYTES + this.#payload + this.#opened * FRAME_BYTES_OF_STREAM;
    this.#read = read;
    this.#payload = 0;
    this.#opened = 0;
    return excess > most ? excess : undefined;
  }
}
