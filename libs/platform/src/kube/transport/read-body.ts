import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { AnswerLease } from './answer-bytes.js';
import { TransportError, textOf } from './transport.error.js';
import type { Exchange } from './wire.js';

/**
 * A body that comes in small pieces is put together on the way: each piece costs far
 * more memory than its bytes.
 */
const MOST_CHUNKS = 4_096;
const UNPACKED_AT_ONCE = 256 * 1024;

type BodyBounds = Readonly<{ limit: number; lease?: AnswerLease; signal?: AbortSignal }>;

/** The whole body as text, at most `limit` bytes before and after decompression. */
export async function readBody(exchange: Exchange, bounds: BodyBounds): Promise<string> {
  const isPacked = exchange.headers['content-encoding'] === 'gzip';
  return isPacked ? readPacked(exchange, bounds) : readPlain(exchange, bounds);
}

async function readPacked(exchange: Exchange, { limit, lease, signal }: BodyBounds): Promise<string> {
  const parts = new BodyParts(limit);
  for await (const chunk of unpacked(exchange, limit)) {
    parts.add(chunk);
    await lease?.grow(chunk.length, signal);
  }
  return parts.text();
}

/**
 * Reads by the events of the stream. An iterator of Node's costs more than everything else that a short
 * answer takes, and nearly all answers to passes are short.
 */
function readPlain(exchange: Exchange, { limit, lease, signal }: BodyBounds): Promise<string> {
  const { body } = exchange;
  const parts = new BodyParts(limit);
  return new Promise<string>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      parts.add(chunk);
      const room = lease?.grow(chunk.length, signal);
      if (room === undefined) return;
      body.pause();
      room.then(() => body.resume(), reject);
    };
    const settle = () => (isWhole(exchange, parts.size) ? resolve(parts.text()) : reject(broken()));
    const onData = (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        reject(error);
      }
    };
    // A closed body gives the bytes from before the close to `read`, and to no listener.
    const settleClosed = () => {
      body.off('data', onData);
      for (let chunk = body.read(); chunk !== null; chunk = body.read()) onData(chunk);
      settle();
    };
    body.on('error', (error) => reject(failureOf(error)));
    if (body.errored !== null) return reject(failureOf(body.errored));
    if (body.closed) return settleClosed();
    // Whether it is whole shows when all listeners have been called.
    body.on('end', () => queueMicrotask(settle));
    // After a GOAWAY Node ends the session at once when the last answer is there, and closes that answer's
    // body without an end, although all of it is there.
    body.on('close', settleClosed);
    body.on('data', onData);
  }).finally(() => body.destroy());
}

function isWhole(exchange: Exchange, size: number): boolean {
  const announced = exchange.headers['content-length'];
  return exchange.whole() && (announced === undefined || Number(announced) === size);
}

const failureOf = (error: unknown): unknown =>
  error instanceof TransportError || isAbort(error) ? error : new TransportError('lost', textOf(error));

/** The received parts of a body. */
class BodyParts {
  #chunks: Buffer[] = [];
  /** Bytes. */
  size = 0;

  constructor(private readonly limit: number) {}

  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > this.limit) throw tooLarge(this.limit);
    this.#chunks.push(chunk);
    if (this.#chunks.length >= MOST_CHUNKS) this.#chunks = [Buffer.concat(this.#chunks, this.size)];
  }

  text(): string {
    const [only, ...others] = this.#chunks;
    if (only !== undefined && others.length === 0) return only.toString('utf8');
    return Buffer.concat(this.#chunks, this.size).toString('utf8');
  }
}

/**
 * Yields the body's bytes as they come. Fails if there are more or fewer bytes than the server has announced.
 */
async function* whole(exchange: Exchange): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of bodyChunks(exchange)) {
    size += chunk.length;
    yield chunk;
  }
  const announced = exchange.headers['content-length'];
  if (announced !== undefined && Number(announced) !== size) throw broken();
}

/** Unpacks no further than the reader has come: a small body can hold gigabytes. */
async function* unpacked(exchange: Exchange, limit: number): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: UNPACKED_AT_ONCE });
  const packed = pipeline(async function* () {
    let size = 0;
    for await (const chunk of whole(exchange)) {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      yield chunk;
    }
  }, gunzip);
  // The reader below fails with the same error.
  packed.catch(() => undefined);
  try {
    for await (const chunk of gunzip) yield chunk;
  } catch (error) {
    throw error instanceof TransportError || isAbort(error) ? error : new TransportError('lost', textOf(error));
  } finally {
    gunzip.destroy();
  }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** Yields the body's bytes as they come. Fails if the server did not end them. */
async function* bodyChunks(exchange: Exchange): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of exchange.body) if (Buffer.isBuffer(chunk)) yield chunk;
  } catch (error) {
    if (error instanceof TransportError || isAbort(error)) throw error;
    if (!endedWithSession(exchange, error)) throw new TransportError('lost', textOf(error));
  } finally {
    exchange.body.destroy();
  }
  if (!exchange.whole()) throw broken();
}

/**
 * True if Node ended the session after a GOAWAY. Node does so at once when the last answer is there, and
 * calls that answer's body closed too early although all of it was given out.
 */
function endedWithSession(exchange: Exchange, error: unknown): boolean {
  const premature = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
  return premature && exchange.whole();
}

const tooLarge = (limit: number) => new TransportError('too-large', `the answer is larger than ${limit} bytes`);
const broken = () => new TransportError('lost', 'the connection broke in the middle of the answer');
