import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { OpenContent } from '../content/content-store.port.js';
import { contentOfFile, unnamedFile } from '../content/unnamed-file.js';

const PART_BYTES = 256 * 1024;
const compress = promisify(gzip);

/**
 * Returns a content compressed: in memory if the content itself is, otherwise in a temporary file. Throws if
 * there is no room, or the content ends early.
 */
export async function gzippedContent(content: OpenContent): Promise<OpenContent> {
  if (content.held !== undefined) return inMemory(content.held);
  const file = await unnamedFile();
  try {
    // A stream of the file would keep it open for as long as it is not closed itself.
    await pipeline(partsOf(content), createGzip(), async (pieces: AsyncIterable<Uint8Array>) => {
      for await (const piece of pieces) await file.writeFile(piece);
    });
    return await contentOfFile(file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Compresses in memory: about a twelfth of the bytes held anyway, and no reader gets a copy. */
async function inMemory(content: Uint8Array): Promise<OpenContent> {
  const held = await compress(content, { chunkSize: PART_BYTES });
  const read = async (from: number, length: number) => held.subarray(from, from + length);
  return { size: held.length, held, read, close: async () => undefined };
}

async function* partsOf(content: OpenContent): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.size; ) {
    const part = await content.read(at, Math.min(PART_BYTES, content.size - at));
    if (part.length === 0) throw new Error(`a catalog's content ends ${content.size - at} bytes too early`);
    at += part.length;
    yield part;
  }
}
