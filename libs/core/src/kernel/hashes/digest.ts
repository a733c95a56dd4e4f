import { hash } from 'node:crypto';
import { escapedGoJson } from '../json/go-json-text.js';

const BASE62_DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * Bytes read as one big-endian integer, written with the digits 0-9a-zA-Z without padding
 * (at most 38 for 28 bytes).
 */
export function base62(bytes: Uint8Array): string {
  let rest = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (rest >= EIGHT_DIGITS) {
    text = digitsOf(Number(rest % EIGHT_DIGITS)).padStart(8, '0') + text;
    rest /= EIGHT_DIGITS;
  }
  return digitsOf(Number(rest)) + text;
}

/** Large integers are divided by this; the remainder fits a number. */
const EIGHT_DIGITS = 62n ** 8n;

function digitsOf(value: number): string {
  let [rest, text] = [value, ''];
  do {
    text = `${BASE62_DIGITS[rest % 62]}${text}`;
    rest = Math.floor(rest / 62);
  } while (rest > 0);
  return text;
}

/** Returns the base62 of the SHA-224 of the text's UTF-8 bytes (spec: api-types.md §12). */
export const sha224Base62 = (text: string): string => base62(hash('sha224', text, 'buffer'));

/**
 * Returns OLM's "deep hash": base62 SHA-224 of the Go JSON text and a newline (Go's encoder ends each value
 * with one). The key order of `object` counts: see {@link escapedGoJson}. Spec: api-types.md §12.
 */
export const deepHash = (object: unknown): string => sha224Base62(`${escapedGoJson(object)}\n`);

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/**
 * Returns the lower-case hex, without padding, of the 64-bit FNV-1a hash of the text's UTF-8 bytes (spec:
 * api-types.md §12).
 */
export function fnv1a64Hex(text: string): string {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text, 'utf8')) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash.toString(16);
}
