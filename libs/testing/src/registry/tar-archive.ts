import { Buffer } from 'node:buffer';

/** How names that are too long for a header are written. */
type LongNames = 'pax' | 'gnu';

/** An entry of an archive, as it is written: nothing is checked. `link` is the target of links. */
export type ArchiveEntry = Readonly<{
  name: string;
  type?: 'file' | 'link' | 'symlink' | 'directory' | 'device' | 'pipe';
  body?: Uint8Array | string;
  link?: string;
  longNames?: LongNames;
  /** Writes a file with holes in GNU's format of that version; holes are its blocks of NULs. */
  sparse?: 'old' | '0.0' | '0.1' | '1.0';
}>;

const BLOCK = 512;
const FLAGS = { file: '0', link: '1', symlink: '2', device: '3', directory: '5', pipe: '6' } as const;
const LONGEST = 100;

/** An archive of these entries in this order. Without `isClosed` the blocks at its end are missing. */
export const tarArchive = (entries: readonly ArchiveEntry[], isClosed = true): Buffer =>
  Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(isClosed ? 2 * BLOCK : 0)]);

function blocksOf(entry: ArchiveEntry): Buffer[] {
  const { name, link = '', type = 'file', longNames = 'pax', sparse } = entry;
  const body = Buffer.from(entry.body ?? '');
  if (sparse !== undefined) return sparseBlocks(name, body, sparse);
  const isLong = (text: string) => Buffer.byteLength(text) > LONGEST;
  const long: readonly (readonly ['path' | 'linkpath', string])[] = [
    ...(isLong(name) ? [['path', name] as const] : []),
    ...(isLong(link) ? [['linkpath', link] as const] : []),
  ];
  const meta = longNames === 'pax' ? paxBlocks(long) : long.flatMap(([key, text]) => gnuLongName(key, text));
  return [...meta, tarHeader(name, FLAGS[type], body.length, link), padded(body)];
}

function gnuLongName(key: 'path' | 'linkpath', text: string): Buffer[] {
  const content = Buffer.from(`${text}\0`);
  return [tarHeader('././@LongLink', key === 'path' ? 'L' : 'K', content.length), padded(content)];
}

/** A PAX header with these records, of the next entry or of the whole archive. */
export function paxBlocks(records: readonly (readonly [key: string, value: string])[], flag = 'x'): Buffer[] {
  if (records.length === 0) return [];
  const content = Buffer.concat(records.map(([key, value]) => paxRecord(key, value)));
  return [tarHeader('PaxHeaders/0', flag, content.length), padded(content)];
}

/** `LENGTH KEY=VALUE`; the length counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

/** A header block; `change` may change it before its checksum is written. */
export function tarHeader(
  name: string,
  flag: string,
  size: number,
  link = '',
  change: (block: Buffer) => void = () => undefined,
): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(Buffer.from(name).subarray(0, LONGEST).toString('latin1'), 0, 'latin1');
  for (const at of [100, 108, 116]) block.write('0000644\0', at);
  for (const [at, value] of [[124, size] as const, [136, 0] as const]) block.write(octal(value), at);
  block.write(flag, 156);
  block.write(Buffer.from(link).subarray(0, LONGEST).toString('latin1'), 157, 'latin1');
  block.write('ustar\u000000', 257);
  change(block);
  block.write(' '.repeat(8), 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

const octal = (value: number): string => `${value.toString(8).padStart(11, '0')}\0`;

const padded = (bytes: Uint8Array): Buffer => Buffer.concat([bytes, Buffer.alloc(-bytes.length & (BLOCK - 1))]);

type Piece = Readonly<{ offset: number; length: number }>;

/** The blocks of a file that are not all NUL. */
function piecesOf(body: Buffer): Piece[] {
  const pieces: Piece[] = [];
  for (let offset = 0; offset < body.length; offset += BLOCK) {
    const block = body.subarray(offset, offset + BLOCK);
    if (block.some((byte) => byte !== 0)) pieces.push({ offset, length: block.length });
  }
  return pieces;
}

function sparseBlocks(name: string, body: Buffer, format: 'old' | '0.0' | '0.1' | '1.0'): Buffer[] {
  const pieces = piecesOf(body);
  const data = Buffer.concat(pieces.map(({ offset, length }) => body.subarray(offset, offset + length)));
  if (format === 'old') return oldSparse(name, body.length, pieces, data);
  const size = String(body.length);
  const count = String(pieces.length);
  if (format === '1.0') {
    const list = padded(Buffer.from([count, ...numbersOf(pieces), ''].join('\n')));
    const version = [['GNU.sparse.major', '1'] as const, ['GNU.sparse.minor', '0'] as const];
    const records = [...version, ['GNU.sparse.name', name] as const, ['GNU.sparse.realsize', size] as const];
    const stored = Buffer.concat([list, data]);
    return [...paxBlocks(records), tarHeader('GNUSparseFile.0/x', '0', stored.length), padded(stored)];
  }
  const list =
    format === '0.1'
      ? [['GNU.sparse.map', numbersOf(pieces).join(',')] as const]
      : pieces.flatMap(({ offset, length }) => [
          ['GNU.sparse.offset', String(offset)] as const,
          ['GNU.sparse.numbytes', String(length)] as const,
        ]);
  const version = [['GNU.sparse.major', '0'] as const, ['GNU.sparse.minor', format.slice(2)] as const];
  const records = [...version, ['GNU.sparse.size', size] as const, ['GNU.sparse.numblocks', count] as const, ...list];
  return [...paxBlocks([...records, ['GNU.sparse.name', name]]), tarHeader(name, '0', data.length), padded(data)];
}

const numbersOf = (pieces: readonly Piece[]): string[] =>
  pieces.flatMap(({ offset, length }) => [String(offset), String(length)]);

const IN_HEADER = 4;
const IN_BLOCK = 21;

/** Four pieces are in the header, twenty-one in each block behind it. */
function oldSparse(name: string, size: number, pieces: readonly Piece[], data: Buffer): Buffer[] {
  const write = (block: Buffer, at: number, some: readonly Piece[]) => {
    for (const [index, { offset, length }] of some.entries()) {
      block.write(octal(offset) + octal(length), at + index * 24);
    }
  };
  const header = tarHeader(name, 'S', data.length, '', (block) => {
    block.write('ustar  \0', 257);
    write(block, 386, pieces.slice(0, IN_HEADER));
    block[482] = pieces.length > IN_HEADER ? 1 : 0;
    block.write(octal(size), 483);
  });
  const blocks: Buffer[] = [];
  for (let from = IN_HEADER; from < pieces.length; from += IN_BLOCK) {
    const block = Buffer.alloc(BLOCK);
    write(block, 0, pieces.slice(from, from + IN_BLOCK));
    block[504] = from + IN_BLOCK < pieces.length ? 1 : 0;
    blocks.push(block);
  }
  const long = Buffer.byteLength(name) > LONGEST ? gnuLongName('path', name) : [];
  return [...long, header, ...blocks, padded(data)];
}
