import { Buffer, isUtf8 } from 'node:buffer';
import { BlobError } from '../../model/catalog-load.error.js';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const BLANK = 0x20;
const LAST_PRINTABLE = 0x7e;

/**
 * Returns the text of JSON bytes as Go reads it: each byte that is no UTF-8 becomes U+FFFD (spec:
 * file-based-catalogs.md §1.2).
 */
export function jsonText(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') && !isUtf8(bytes) ? replacedText(bytes) : text;
}

/**
 * Returns the number of line ends in bytes that are printable ASCII and tabs. Returns undefined if there are
 * other bytes.
 */
export function linesOfPlainAscii(bytes: Uint8Array): number | undefined {
  let lines = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === LINE_FEED) lines += 1;
    else if (byte > LAST_PRINTABLE || (byte < BLANK && byte !== TAB)) return undefined;
  }
  return lines;
}

/**
 * Returns the text of a YAML document. Throws {@link BlobError} for bytes that are no UTF-8, nor UTF-16
 * behind a byte order mark, as Go's reader does.
 */
export function yamlText(bytes: Buffer, line: number): string {
  const text = isUtf16(bytes) ? utf16Text(bytes) : bytes.toString('utf8');
  const isValid = isUtf16(bytes) ? text?.isWellFormed() : !text?.includes('\uFFFD') || isUtf8(bytes);
  if (text !== undefined && isValid) return text;
  throw new BlobError('error converting YAML to JSON: yaml: the document is not valid UTF-8', line);
}

const isLittleEndian = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === 0xfe;
const isUtf16 = (bytes: Buffer): boolean => isLittleEndian(bytes) || (bytes[0] === 0xfe && bytes[1] === 0xff);

/** Returns undefined if the last character is cut short. */
function utf16Text(bytes: Buffer): string | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  return (isLittleEndian(bytes) ? bytes : Buffer.from(bytes).swap16()).toString('utf16le');
}

/**
 * Decodes bytes as Go does. JavaScript's own decoder gives one U+FFFD for several bytes of a character that
 * is cut short; Go gives one for each.
 */
export function replacedText(bytes: Buffer): string {
  const parts: string[] = [];
  let good = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes[at] ?? 0);
    if (at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length))) {
      at += length;
      continue;
    }
    parts.push(bytes.toString('utf8', good, at), '\uFFFD');
    at += 1;
    good = at;
  }
  return parts.join('') + bytes.toString('utf8', good);
}

/**
 * Returns the length that the first byte of a character announces; 1 for ASCII and for a byte that cannot be
 * first.
 */
function characterLength(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
