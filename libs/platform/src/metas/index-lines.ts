import type { FileHandle } from 'node:fs/promises';
import { blobMeta } from '#core/catalog-metas/blob-meta';
import { type MetasIndex, MetasIndexBuilder } from '#core/catalog-metas/metas-index';

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 256 * 1024;

/** The index of a catalog.jsonl, in one pass that holds one line at a time. Throws SyntaxError where a line is no JSON. */
export async function indexLines(file: FileHandle): Promise<MetasIndex> {
  const builder = new MetasIndexBuilder();
  let begun: Buffer[] = [];
  const end = (last: Buffer) => {
    const line = begun.length === 0 ? last : Buffer.concat([...begun, last]);
    begun = [];
    builder.add(blobMeta(line.toString('utf8')), line.length);
  };
  for await (const chunk of chunksOf(file)) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      end(chunk.subarray(from, at + 1));
      from = at + 1;
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
  if (begun.length > 0) end(Buffer.alloc(0));
  return builder.finish();
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
