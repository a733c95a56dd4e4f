import { createGunzip } from 'node:zlib';
import { TransportError, textOf } from './transport.error.js';
import type { Exchange } from './wire.js';

/** The whole body as text, at most `limit` bytes after decompression. */
export async function readBody(exchange: Exchange, limit: number): Promise<string> {
  const gzipped = exchange.headers['content-encoding'] === 'gzip';
  const source = gzipped ? exchange.body.pipe(createGunzip()) : exchange.body;
  // `pipe` passes no errors on.
  if (gzipped) exchange.body.once('error', (error) => source.destroy(error));
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of source) {
      if (!Buffer.isBuffer(chunk)) continue;
      size += chunk.length;
      if (size > limit) throw new TransportError('too-large', `the answer is larger than ${limit} bytes`);
      chunks.push(chunk);
    }
    if (!exchange.whole()) throw new TransportError('lost', 'the connection broke in the middle of the answer');
  } catch (error) {
    if (error instanceof TransportError || (error instanceof Error && error.name === 'AbortError')) throw error;
    throw new TransportError('lost', textOf(error));
  } finally {
    exchange.body.destroy();
  }
  return Buffer.concat(chunks, size).toString('utf8');
}
