import { ByteReader } from './byte-reader.js';
import { type PaxRecords, readPax } from './pax-records.js';
import { type Piece, readOldSparse, readPaxSparse, type SparseMap, sparseName } from './sparse-map.js';
import { BLOCK, isZero, padding, readHeader, TarError, type TarHeader, text } from './tar-header.js';

type TarEntryType = 'file' | 'directory' | 'symlink' | 'link' | 'other';

/**
 * `size`: of the content, holes counted. `body`: the content, to be read before the next entry, once, if at
 * all.
 */
export type ReadTarEntry = Readonly<{
  name: string;
  linkName: string;
  type: TarEntryType;
  size: number;
  body: AsyncIterable<Uint8Array>;
}>;

/** Longest PAX header or GNU long name. */
const MAX_META_BYTES = 1024 * 1024;

const TYPES: Readonly<Record<string, TarEntryType>> = {
  '0': 'file',
  '\0': 'file',
  S: 'file',
  '1': 'link',
  '2': 'symlink',
  '5': 'directory',
};
/** Entries that have no content, whatever their size says: links, devices, directories, pipes. */
const HEADER_ONLY = '123456';

/**
 * Reads the entries of a tar archive in their order, as Go's archive/tar does for every container runtime.
 * That includes long names and sparse files of GNU and PAX, and archives without an end. The source is read
 * only as far as asked for. A body that is not read is skipped. Throws TarError.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadTarEntry> {
  const bytes = new ByteReader(chunks);
  try {
    let meta = NO_META;
    for (let block = await nextBlock(bytes); block !== undefined; block = await nextBlock(bytes)) {
      const header = readHeader(block);
      const known = await readMeta(bytes, header, meta);
      if (known !== undefined) {
        meta = known;
        continue;
      }
      const content = await contentOf(bytes, block, header, meta.pax);
      yield entryOf(header, meta, content);
      await content.skipRest();
      meta = NO_META;
    }
    await bytes.drain();
  } finally {
    await bytes.close();
  }
}

/** Facts about an entry from the entries before it. */
type Meta = Readonly<{ pax: PaxRecords; name?: string; linkName?: string }>;
const NO_META: Meta = { pax: new Map() };

/** The next header block. Returns undefined at the end: no bytes, or blocks of zeros. */
async function nextBlock(bytes: ByteReader): Promise<Uint8Array | undefined> {
  const block = await bytes.exactly(BLOCK);
  if (block.length === 0) return undefined;
  if (block.length < BLOCK) throw new TarError('it ends within a header');
  if (!isZero(block)) return block;
  const second = await bytes.exactly(BLOCK);
  if (second.length > 0 && (second.length < BLOCK || !isZero(second))) throw new TarError('a header is empty');
  return undefined;
}

/**
 * Reads an entry that belongs to the next one. Returns undefined for any other, and does not read its
 * content.
 */
async function readMeta(bytes: ByteReader, { type, size }: TarHeader, meta: Meta): Promise<Meta | undefined> {
  if (!'xgLK'.includes(type)) return undefined;
  if (size > MAX_META_BYTES) throw new TarError(`a header of type ${type} has ${size} bytes`);
  const content = await bytes.exactly(size);
  if (content.length < size) throw new TarError('it ends within a header');
  await bytes.skip(padding(size));
  if (type === 'x') return { ...meta, pax: readPax(content) };
  if (type === 'L') return { ...meta, name: text(content, 0, size) };
  if (type === 'K') return { ...meta, linkName: text(content, 0, size) };
  // A header for the whole archive does not apply to the next entry, as in Go.
  readPax(content);
  return NO_META;
}

function entryOf(header: TarHeader, { pax, name, linkName }: Meta, content: Content): ReadTarEntry {
  const path = (content.isSparse && sparseName(pax)) || name || pax.get('path') || header.name;
  const isOldDirectory = header.type === '\0' && path.endsWith('/');
  return {
    name: path,
    linkName: linkName || pax.get('linkpath') || header.linkName,
    type: isOldDirectory ? 'directory' : (TYPES[header.type] ?? 'other'),
    size: content.size,
    body: content,
  };
}

async function contentOf(bytes: ByteReader, block: Uint8Array, header: TarHeader, pax: PaxRecords): Promise<Content> {
  const stored = HEADER_ONLY.includes(header.type) ? 0 : paxSize(pax, header.size);
  const sparse = await sparseOf(bytes, block, { ...header, size: stored }, pax);
  return new Content(bytes, stored - (sparse?.listBytes ?? 0), stored, sparse);
}

async function sparseOf(bytes: ByteReader, block: Uint8Array, header: TarHeader, pax: PaxRecords) {
  if (header.type !== 'S') return readPaxSparse(pax, header.size, bytes);
  if (header.format !== 'gnu') throw new TarError('a sparse file is not in the format of GNU');
  return readOldSparse(block, bytes);
}

function paxSize(pax: PaxRecords, size: number): number {
  const stated = pax.get('size') ?? '';
  if (stated === '') return size;
  const value = /^[0-9]{1,16}$/.test(stated) ? Number(stated) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new TarError('a PAX header has a size that is not a number');
}

const HOLE = new Uint8Array(64 * 1024);

/** The content of one entry in its archive. */
class Content implements AsyncIterable<Uint8Array> {
  readonly size: number;
  readonly isSparse: boolean;
  readonly #pieces: readonly Piece[];
  readonly #padding: number;

  constructor(
    private readonly bytes: ByteReader,
    /** Bytes in the archive that are not read yet. */
    private left: number,
    stored: number,
    sparse: SparseMap | undefined,
  ) {
    this.size = sparse?.size ?? left;
    this.isSparse = sparse !== undefined;
    this.#pieces = sparse?.pieces ?? [{ offset: 0, length: left }];
    this.#padding = padding(stored);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (const { offset, length } of this.#pieces) {
      yield* holes(offset - at);
      for (at = offset; at < offset + length; ) {
        const part = await this.#part(offset + length - at);
        at += part.length;
        yield part;
      }
    }
    yield* holes(this.size - at);
  }

  async #part(most: number): Promise<Uint8Array> {
    const part = await this.bytes.some(Math.min(most, this.left));
    if (part === undefined || part.length === 0) throw new TarError('it ends within a file');
    this.left -= part.length;
    return part;
  }

  /** Skips the unread rest, and the filling of the last block. The filling may be missing at the end. */
  async skipRest(): Promise<void> {
    if ((await this.bytes.skip(this.left)) > 0) throw new TarError('it ends within a file');
    this.left = 0;
    await this.bytes.skip(this.#padding);
  }
}

function* holes(length: number): Generator<Uint8Array> {
  for (let left = length; left > 0; left -= HOLE.length) yield HOLE.subarray(0, Math.min(left, HOLE.length));
}
