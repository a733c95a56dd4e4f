import type { OpenContent } from './content-store.port.js';

const PART_BYTES = 256 * 1024;

/** Content that is in memory. */
export const contentInMemory = (bytes: Uint8Array): OpenContent => ({
  size: bytes.length,
  read: async (from, length) => bytes.slice(from, from + length),
  close: async () => undefined,
});

/** Everything from its beginning, in parts; closes the content, also when the caller stops early. */
export async function* contentParts(content: OpenContent): AsyncGenerator<Uint8Array> {
  try {
    for (let at = 0; at < content.size; at += PART_BYTES) yield await content.read(at, PART_BYTES);
  } finally {
    await content.close();
  }
}
