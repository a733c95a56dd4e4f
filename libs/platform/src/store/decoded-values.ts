import { decodeValue } from './value-codec.js';

type Decoded = Readonly<{ bytes: Buffer; text: string }>;

const MOST_VALUES = 512;
/** Of the text; larger values are read seldom, and are decoded each time. */
const LONGEST_TEXT = 16 * 1024;

/**
 * Decodes values of Redis. Small texts are kept with the bytes that they came from: the same solution is read
 * in every pass over every namespace that has its problem, and to decompress it costs more than to read it.
 * Other bytes under the same key are decoded anew, so that what is kept is never stale.
 */
export class DecodedValues {
  /** By key, the least recently read first. */
  readonly #decoded = new Map<string, Decoded>();

  async decode(key: string, bytes: Buffer, maxBytes: number): Promise<string | undefined> {
    const held = this.#decoded.get(key);
    if (held !== undefined) {
      this.#decoded.delete(key);
      if (held.bytes.equals(bytes)) return this.#keep(key, held);
    }
    const text = await decodeValue(bytes, maxBytes);
    if (text === undefined || text.length > LONGEST_TEXT) return text;
    // A copy: what the client gives out may be a part of a much larger buffer.
    return this.#keep(key, { bytes: Buffer.from(bytes), text });
  }

  #keep(key: string, decoded: Decoded): string {
    this.#decoded.set(key, decoded);
    const [oldest] = this.#decoded.keys();
    if (this.#decoded.size > MOST_VALUES && oldest !== undefined) this.#decoded.delete(oldest);
    return decoded.text;
  }
}
