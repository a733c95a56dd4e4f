import { Buffer, isUtf8 } from 'node:buffer';
import { BlobError } from '../model/catalog-load.error.js';

const BYTE_ORDER_MARK = 0xfeff;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const BLANK = 0x20;
const LAST_PRINTABLE = 0x7e;

/**
 * Text of JSON bytes as Go reads it: each byte that is no UTF-8 becomes U+FFFD
 * (spec: file-based-catalogs.md §1.2).
 */
export function jsonText(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') && !isUtf8(bytes) ? replacedText(bytes) : text;
}

/**
 * How many lines end in bytes that are printable ASCII and tabs; undefined where there are other bytes.
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
 * Text of a YAML document, without a byte order mark. Throws {@link BlobError} where it is no
 * UTF-8, as Go's reader does.
 */
export function yamlText(bytes: Buffer, line: number): string {
  const text = bytes.toString('utf8');
  if (text.includes('\uFFFD') && !isUtf8(bytes)) {
    throw new BlobError('error converting YAML to JSON: yaml: the document is not valid UTF-8', line);
  }
  const document = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  if (CONTROL.test(document)) {
    throw new BlobError('error converting YAML to JSON: yaml: control characters are not allowed', line);
  }
  return document;
}

/** What may not stand in YAML, not even in quotes. */
const CONTROL = /[^\t\n\r\x20-\x7e\u0085\u00a0-\ufffd]/;

/**
 * JavaScript's own decoder gives one U+FFFD for several bytes of a character that is cut
 * short; Go gives one for each.
 */
function replacedText(bytes: Buffer): string {
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

/** As the first byte of a character announces it; 1 for ASCII and for a byte that cannot be first. */
function characterLength(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
