import { blobMeta } from '#core/catalog/metas/blob-meta';
import { type MetasIndex, MetasIndexBuilder } from '#core/catalog/metas/metas-index';
import type { OpenContent } from '../content/content-store.port.js';

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 256 * 1024;

/**
 * Makes the index of a catalog.jsonl, in one pass that holds one line at a time. Throws SyntaxError if a line
 * is no JSON.
 */
export async function indexLines(content: OpenContent): Promise<MetasIndex> {
  const builder = new MetasIndexBuilder();
  let begun: Uint8Array[] = [];
  const end = (last: Uint8Array) => {
    const line = Buffer.concat([...begun, last]);
    begun = [];
    builder.add(blobMeta(line.toString('utf8')), line.length);
  };
  for (let at = 0; at < content.size; ) {
    const chunk = await content.read(at, CHUNK_BYTES);
    if (chunk.length === 0) break;
    at += chunk.length;
    let from = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, from)) {
      end(chunk.subarray(from, feed + 1));
      from = feed + 1;
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
  if (begun.length > 0) end(new Uint8Array());
  return builder.finish();
}
