import type { ByteReader } from './byte-reader.js';
import type { PaxRecords } from './pax-records.js';
import { BLOCK, number, TarError } from './tar-header.js';

/** A piece of a sparse file that is in the archive; everything between the pieces is NUL. */
export type Piece = Readonly<{ offset: number; length: number }>;

/** A file with holes: its size, its pieces, and how many bytes of the archive list these. */
export type SparseMap = Readonly<{ size: number; pieces: readonly Piece[]; listBytes: number }>;

const MAX_LIST_BYTES = 1024 * 1024;
const tooLong = () => new TarError('the list of a sparse file is too long');
const malformed = () => new TarError('the list of a sparse file is malformed');

/** The file's own name of a PAX sparse file: its entry has a name that other programs see. */
export const sparseName = (records: PaxRecords): string | undefined => records.get('GNU.sparse.name') || undefined;

/**
 * The map of a sparse file in GNU's PAX formats 0.0, 0.1 and 1.0. The last one lists the pieces at the begin
 * of the file's own data. Returns undefined for a file without holes.
 */
export async function readPaxSparse(
  records: PaxRecords,
  size: number,
  data: ByteReader,
): Promise<SparseMap | undefined> {
  const version = `${records.get('GNU.sparse.major') ?? ''}.${records.get('GNU.sparse.minor') ?? ''}`;
  const realSize = records.get('GNU.sparse.size') || records.get('GNU.sparse.realsize') || String(size);
  if (version === '1.0') return checked(await listInData(data, numeral(realSize), size));
  const list = records.get('GNU.sparse.map') ?? '';
  if (version !== '0.0' && version !== '0.1' && !(version === '.' && list !== '')) return undefined;
  const numbers = list === '' ? [] : list.split(',').map(numeral);
  if (numbers.length !== 2 * numeral(records.get('GNU.sparse.numblocks') ?? '')) throw malformed();
  return checked({ size: numeral(realSize), pieces: pairs(numbers), listBytes: 0 });
}

/** Lines with the number of pieces, then offset and length of each, filled up to whole blocks. */
async function listInData(data: ByteReader, size: number, most: number): Promise<SparseMap> {
  let list = '';
  const hasLines = (count: number) => list.split('\n').length > count;
  for (let wanted = 1; !hasLines(wanted); ) {
    if (list.length >= MAX_LIST_BYTES) throw tooLong();
    const block = await data.exactly(Math.min(BLOCK, most - list.length));
    if (block.length < BLOCK) throw malformed();
    list += Buffer.from(block).toString('latin1');
    if (hasLines(1)) wanted = 1 + 2 * numeral(list.slice(0, list.indexOf('\n')));
  }
  const [count = '', ...numbers] = list.split('\n');
  return { size, pieces: pairs(numbers.slice(0, 2 * numeral(count)).map(numeral)), listBytes: list.length };
}

const ENTRY_BYTES = 24;

/**
 * Reads the map of a sparse file in GNU's old format: four pieces in the header, more in blocks behind it.
 * The size of the entry does not count these blocks.
 */
export async function readOldSparse(header: Uint8Array, blocks: ByteReader): Promise<SparseMap> {
  const size = number(header, 483, 12);
  const pieces: Piece[] = [];
  let list = header.subarray(386, 386 + 4 * ENTRY_BYTES + 1);
  for (let read = 0; ; read += BLOCK) {
    const most = Math.floor(list.length / ENTRY_BYTES);
    for (let index = 0; index < most && list[index * ENTRY_BYTES] !== 0; index += 1) {
      const at = index * ENTRY_BYTES;
      pieces.push({ offset: number(list, at, 12), length: number(list, at + 12, 12) });
    }
    if (list[most * ENTRY_BYTES] === 0) return checked({ size, pieces, listBytes: 0 });
    if (read >= MAX_LIST_BYTES) throw tooLong();
    list = await blocks.exactly(BLOCK);
    if (list.length < BLOCK) throw malformed();
  }
}

function numeral(digits: string): number {
  const value = /^[0-9]{1,16}$/.test(digits) ? Number(digits) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw malformed();
  return value;
}

const pairs = (numbers: readonly number[]): Piece[] =>
  numbers.flatMap((offset, at) => (at % 2 === 0 ? [{ offset, length: numbers[at + 1] ?? 0 }] : []));

/** Pieces must be in their order, within the file, and must not overlap. */
function checked(map: SparseMap): SparseMap {
  let end = 0;
  for (const { offset, length } of map.pieces) {
    if (offset < end || offset + length > map.size) throw malformed();
    end = offset + length;
  }
  return map;
}
