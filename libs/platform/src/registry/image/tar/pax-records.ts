import { TarError } from './tar-header.js';

/** Records of a PAX header by their keys. */
export type PaxRecords = ReadonlyMap<string, string>;

const SPARSE_MAP = 'GNU.sparse.map';
/** Keys that format 0.0 of sparse files repeats: an offset and a length for each piece of data. */
const SPARSE_PIECE = ['GNU.sparse.offset', 'GNU.sparse.numbytes'];

/** Reads the records of a PAX header as Go's archive/tar does. Throws TarError. */
export function readPax(bytes: Uint8Array): PaxRecords {
  const source = Buffer.from(bytes);
  const records = new Map<string, string>();
  const pieces: string[] = [];
  for (let at = 0; at < source.length; ) {
    const { key, value, end } = recordAt(source, at);
    if (!SPARSE_PIECE.includes(key)) records.set(key, value);
    else if (key === SPARSE_PIECE[pieces.length % 2] && !value.includes(',')) pieces.push(value);
    else throw malformed();
    at = end;
  }
  if (pieces.length > 0) records.set(SPARSE_MAP, pieces.join(','));
  return records;
}

const malformed = () => new TarError('a PAX header is malformed');

/** Fields of a header that are C strings elsewhere. */
const C_STRINGS = ['path', 'linkpath', 'uname', 'gname'];

/** The record `LENGTH KEY=VALUE` and a line feed; the length counts all of it, itself too. */
function recordAt(source: Buffer, at: number): Readonly<{ key: string; value: string; end: number }> {
  const blank = source.indexOf(' ', at);
  const digits = source.toString('latin1', at, blank < 0 ? at : blank);
  const end = at + (/^[0-9]{1,9}$/.test(digits) ? Number(digits) : 0);
  if (end <= blank + 1 || end > source.length || source[end - 1] !== 0x0a) throw malformed();
  const record = source.toString('utf8', blank + 1, end - 1);
  const equals = record.indexOf('=');
  const key = record.slice(0, Math.max(equals, 0));
  const value = record.slice(equals + 1);
  if (key === '' || (C_STRINGS.includes(key) ? value : key).includes('\0')) throw malformed();
  return { key, value, end };
}
