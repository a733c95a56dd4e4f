import { LRUCache } from 'lru-cache';
import { decodeValue } from './value-codec.js';

type Decoded = Readonly<{ bytes: Buffer; text: string }>;

const MOST_VALUES = 512;
/** Longest text that is kept. Larger values are read seldom, and are decoded each time. */
const LONGEST_TEXT = 16 * 1024;

/**
 * Decodes values of Redis. Small texts are kept with their encoded bytes. Every pass over every namespace
 * with a problem reads the same solution, and to decompress it costs more than to read it. Other bytes under
 * the same key are decoded again, so that kept texts are never stale.
 */
export class DecodedValues {
  readonly #decoded = new LRUCache<string, Decoded>({ max: MOST_VALUES });

  async decode(key: string, bytes: Buffer, maxBytes: number): Promise<string | undefined> {
    const held = this.#decoded.get(key);
    if (held?.bytes.equals(bytes)) return held.text;
    const text = await decodeValue(bytes, maxBytes);
    // A copy: the client's bytes may be a part of a much larger buffer.
    if (text !== undefined && text.length <= LONGEST_TEXT) this.#decoded.set(key, { bytes: Buffer.from(bytes), text });
    return text;
  }
}
