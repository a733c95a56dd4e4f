import { z } from 'zod';
import type { BlobMeta } from '../model/catalog-blob.js';
import { detached } from '../read/blob-consumer.js';
import type { ByteRange } from './byte-range.js';
import type { MetasQuery } from './metas-query.js';

/** Numbers for each blob: its bytes, and the indexes of the texts of its schema, package and name. */
const COLUMNS = 4;
const VERSION = 1;
const Header = z.strictObject({ v: z.literal(VERSION), blobs: z.number().int().min(0), texts: z.array(z.string()) });

/**
 * Index of the blobs of a catalog.jsonl by schema, package and name: 16 bytes per blob, and each text once. A
 * query is answered by one scan of the numbers. For the largest public catalogs that takes some ten
 * microseconds.
 */
export class MetasIndex {
  readonly #numbers: Uint32Array;
  readonly #ids: ReadonlyMap<string, number>;
  /** Bytes of the content it was made of. */
  readonly size: number;

  private constructor(
    private readonly texts: readonly string[],
    numbers: Uint32Array,
  ) {
    this.#numbers = numbers;
    this.#ids = new Map(texts.map((text, id) => [text, id]));
    let size = 0;
    for (let at = 0; at < numbers.length; at += COLUMNS) size += numbers[at] ?? 0;
    this.size = size;
  }

  /** Returns an index from its texts, by their numbers, and from the numbers of the blobs, in their order. */
  static fromColumns(texts: readonly string[], numbers: Uint32Array): MetasIndex {
    return new MetasIndex(texts, numbers);
  }

  /** Returns the number of blobs in the content. */
  get blobs(): number {
    return this.#numbers.length / COLUMNS;
  }

  /**
   * Returns the ranges of the blobs that match all of the query, in file order, with neighbours joined.
   * Without any condition the whole content matches; with one, blobs without a schema never match (spec:
   * v1-catalog.md §2).
   */
  find(query: MetasQuery): ByteRange[] {
    const { schema, package: pkg, name } = query;
    if (schema === undefined && pkg === undefined && name === undefined) {
      return this.size === 0 ? [] : [{ start: 0, length: this.size }];
    }
    const wanted = [schema, pkg, name].map((text) => (text === undefined ? undefined : this.#ids.get(text)));
    const unknown = [schema, pkg, name].some((text, at) => text !== undefined && wanted[at] === undefined);
    return unknown ? [] : this.#scan(wanted);
  }

  #scan([schema, pkg, name]: readonly (number | undefined)[]): ByteRange[] {
    const found: { start: number; length: number }[] = [];
    const numbers = this.#numbers;
    const none = this.#ids.get('');
    let start = 0;
    for (let at = 0; at < numbers.length; at += COLUMNS) {
      const bytes = numbers[at] ?? 0;
      const matches =
        (schema === undefined ? numbers[at + 1] !== none : numbers[at + 1] === schema) &&
        (pkg === undefined || numbers[at + 2] === pkg) &&
        (name === undefined || numbers[at + 3] === name);
      if (matches) {
        const last = found.at(-1);
        if (last !== undefined && last.start + last.length === start) last.length += bytes;
        else found.push({ start, length: bytes });
      }
      start += bytes;
    }
    return found;
  }

  /**
   * Encodes the index as bytes that {@link MetasIndex.decode} reads: a line of JSON with the texts, then the
   * numbers, little-endian.
   */
  encode(): Uint8Array {
    const header = Buffer.from(`${JSON.stringify({ v: VERSION, blobs: this.blobs, texts: this.texts })}\n`);
    const numbers = Buffer.alloc(this.#numbers.length * 4);
    for (const [at, number] of this.#numbers.entries()) numbers.writeUInt32LE(number, at * 4);
    return Buffer.concat([header, numbers]);
  }

  /** Decodes an index. Returns undefined if the bytes are no index of this version, or not a whole one. */
  static decode(encoded: Uint8Array): MetasIndex | undefined {
    const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
    const end = bytes.indexOf('\n');
    const header = Header.safeParse(parsed(bytes.toString('utf8', 0, Math.max(end, 0))));
    if (!header.success) return undefined;
    const { blobs, texts } = header.data;
    if (bytes.length - end - 1 !== blobs * COLUMNS * 4) return undefined;
    const numbers = new Uint32Array(blobs * COLUMNS);
    for (let at = 0; at < numbers.length; at += 1) numbers[at] = bytes.readUInt32LE(end + 1 + at * 4);
    return new MetasIndex(texts, numbers);
  }
}

/** Takes the blobs of a content one after the other. */
export class MetasIndexBuilder {
  readonly #ids = new Map<string, number>();
  readonly #numbers: number[] = [];

  /** Adds a blob. `bytes`: of the blob's line, its line feed counted. */
  add({ schema, package: pkg, name }: BlobMeta, bytes: number): void {
    this.#numbers.push(bytes, this.#idOf(schema), this.#idOf(pkg), this.#idOf(name));
  }

  finish(): MetasIndex {
    return MetasIndex.fromColumns([...this.#ids.keys()], Uint32Array.from(this.#numbers));
  }

  #idOf(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    // A part of a text keeps all of it in memory: here that would be the whole catalog.
    this.#ids.set(detached(text), id);
    return id;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
