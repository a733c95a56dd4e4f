import { Buffer } from 'node:buffer';

/** An entry of a tar archive; `link` is the target of links. */
export type TarEntry = Readonly<{
  name: string;
  type: 'file' | 'directory' | 'hard link' | 'symbolic link';
  bytes?: Uint8Array;
  link?: string;
}>;

const BLOCK = 512;
const FLAGS = { file: '0', 'hard link': '1', 'symbolic link': '2', directory: '5' } as const;
const LONGEST_NAME = 100;
const EMPTY = new Uint8Array();

/** An archive of these entries in this order, in the form of POSIX; long names are in PAX headers. */
export const tarArchive = (entries: readonly TarEntry[]): Buffer =>
  Buffer.concat([...entries.flatMap(entryBlocks), Buffer.alloc(2 * BLOCK)]);

function entryBlocks({ name, type, bytes = EMPTY, link = '' }: TarEntry): Buffer[] {
  const long = Buffer.byteLength(name) > LONGEST_NAME ? paxBlocks(name) : [];
  return [...long, header(name, FLAGS[type], bytes.length, link), padded(bytes)];
}

function paxBlocks(name: string): Buffer[] {
  const record = paxRecord('path', name);
  return [header('PaxHeaders/0', 'x', record.length, ''), padded(record)];
}

/** Returns `LENGTH path=NAME`. The length includes its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

function header(name: string, flag: string, size: number, link: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name.slice(0, LONGEST_NAME), 0);
  block.write(octal(flag === FLAGS.directory ? 0o755 : 0o644, 7), 100);
  for (const offset of [108, 116]) block.write(octal(0, 7), offset);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  block.write(' '.repeat(8), 148);
  block.write(flag, 156);
  block.write(link, 157);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

const padded = (bytes: Uint8Array): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
