/** An archive that is no tar, or is cut short. */
export class TarError extends Error {}

export const BLOCK = 512;

/** How many bytes fill the last block of a file. */
export const padding = (size: number): number => -size & (BLOCK - 1);

/** The content of a header block without the fields that no reader needs (owner, mode, times). */
export type TarHeader = Readonly<{ name: string; linkName: string; size: number; type: string; format: Format }>;

type Format = 'ustar' | 'gnu' | 'star' | 'v7';

/**
 * Reads a header block as Go's archive/tar does. Throws TarError if its checksum is wrong, or its size is no
 * number.
 */
export function readHeader(block: Uint8Array): TarHeader {
  if (!hasChecksum(block)) throw new TarError('a header has a wrong checksum');
  const format = formatOf(block);
  const prefix = format === 'ustar' ? text(block, 345, 155) : format === 'star' ? text(block, 345, 131) : '';
  const name = text(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    linkName: text(block, 157, 100),
    size: number(block, 124, 12),
    type: String.fromCharCode(block[156] ?? 0),
    format,
  };
}

export const isZero = (block: Uint8Array): boolean => block.every((byte) => byte === 0);

/** Reads a field of text. It ends at its first NUL. */
export function text(block: Uint8Array, at: number, length: number): string {
  const field = Buffer.from(block.buffer, block.byteOffset + at, length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

/** A field with a number, in octal digits or in base 256. Throws TarError. */
export function number(block: Uint8Array, at: number, length: number): number {
  const field = block.subarray(at, at + length);
  const value = ((field[0] ?? 0) & 0x80) === 0 ? octal(field) : base256(field);
  if (value !== undefined && Number.isSafeInteger(value) && value >= 0) return value;
  throw new TarError('a header has a size that is not a number');
}

/** Octal digits with blanks and NULs around them; nothing but these is 0. */
function octal(field: Uint8Array): number | undefined {
  const digits =
    Buffer.from(field)
      .toString('latin1')
      .replaceAll(/^[ \0]+|[ \0]+$/g, '')
      .split('\0')[0] ?? '';
  if (digits === '') return 0;
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : undefined;
}

/** Returns undefined for a negative number. */
function base256(field: Uint8Array): number | undefined {
  if (((field[0] ?? 0) & 0x40) !== 0) return undefined;
  return field.reduce((value, byte, at) => value * 256 + (at === 0 ? byte & 0x7f : byte), 0);
}

const CHECKSUM = { at: 148, length: 8 };

/** The sum of all bytes with blanks in the checksum's place; old programs took bytes for signed. */
function hasChecksum(block: Uint8Array): boolean {
  const stated = octal(block.subarray(CHECKSUM.at, CHECKSUM.at + CHECKSUM.length));
  let sum = 0;
  let signed = 0;
  for (let at = 0; at < BLOCK; at += 1) {
    const byte = at >= CHECKSUM.at && at < CHECKSUM.at + CHECKSUM.length ? 0x20 : (block[at] ?? 0);
    sum += byte;
    signed += byte < 0x80 ? byte : byte - 0x100;
  }
  return stated === sum || stated === signed;
}

function formatOf(block: Uint8Array): Format {
  const bytes = Buffer.from(block.buffer, block.byteOffset, BLOCK);
  const magic = bytes.toString('latin1', 257, 263);
  if (magic === 'ustar\0') return bytes.toString('latin1', 508, 512) === 'tar\0' ? 'star' : 'ustar';
  return magic === 'ustar ' && bytes.toString('latin1', 263, 265) === ' \0' ? 'gnu' : 'v7';
}
