import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { AnswerLease } from './answer-bytes.js';
import { TransportError, textOf } from './transport.error.js';
import type { Exchange } from './wire.js';

const unzip = promisify(gunzip);

/**
 * A body that comes in small pieces is put together on the way: each piece costs far
 * more memory than its bytes.
 */
const MOST_CHUNKS = 4_096;

export type BodyBounds = Readonly<{ limit: number; lease?: AnswerLease; signal?: AbortSignal }>;

/** The whole body as text, at most `limit` bytes before and after decompression. */
export async function readBody(exchange: Exchange, { limit, lease, signal }: BodyBounds): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bodyChunks(exchange)) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
    if (chunks.length >= MOST_CHUNKS) chunks.splice(0, chunks.length, Buffer.concat(chunks, size));
    await lease?.grow(chunk.length, signal);
  }
  const announced = exchange.headers['content-length'];
  if (announced !== undefined && Number(announced) !== size) throw broken();
  const bytes = Buffer.concat(chunks, size);
  const plain = exchange.headers['content-encoding'] === 'gzip' ? await unpacked(bytes, limit) : bytes;
  return plain.toString('utf8');
}

/** The body's bytes as they come. Fails where it was not the server that ended them. */
export async function* bodyChunks(exchange: Exchange): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of exchange.body) if (Buffer.isBuffer(chunk)) yield chunk;
  } catch (error) {
    if (error instanceof TransportError || (error instanceof Error && error.name === 'AbortError')) throw error;
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

async function unpacked(bytes: Buffer, limit: number): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: limit });
  } catch (error) {
    const large = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw large ? tooLarge(limit) : new TransportError('lost', textOf(error));
  }
}

const tooLarge = (limit: number) => new TransportError('too-large', `the answer is larger than ${limit} bytes`);
const broken = () => new TransportError('lost', 'the connection broke in the middle of the answer');
