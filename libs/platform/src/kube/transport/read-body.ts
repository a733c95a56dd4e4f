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

export type BodyBounds = Readonly<{ limit: number; lease?: AnswerLease; signal?: AbortSignal }>;

/** The whole body as text, at most `limit` bytes before and after decompression. */
export async function readBody(exchange: Exchange, { limit, lease, signal }: BodyBounds): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of exchange.headers['content-encoding'] === 'gzip'
    ? unpacked(exchange, limit)
    : whole(exchange)) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
    if (chunks.length >= MOST_CHUNKS) chunks.splice(0, chunks.length, Buffer.concat(chunks, size));
    await lease?.grow(chunk.length, signal);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

/** The body's bytes as they come. Fails where there are more or fewer bytes than the server has announced. */
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

/** The body's bytes as they come. Fails where it was not the server that ended them. */
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
 * After a GOAWAY Node ends the session at once when the last answer is there, and calls that answer's body
 * closed too early although all of it was given out.
 */
function endedWithSession(exchange: Exchange, error: unknown): boolean {
  const premature = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
  return premature && exchange.whole();
}

const tooLarge = (limit: number) => new TransportError('too-large', `the answer is larger than ${limit} bytes`);
const broken = () => new TransportError('lost', 'the connection broke in the middle of the answer');
