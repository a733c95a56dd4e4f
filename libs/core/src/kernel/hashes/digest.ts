import { createHash } from 'node:crypto';
import { goJson } from './go-json.js';

const BASE62_DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * Bytes read as one big-endian integer, written with the digits 0-9a-zA-Z without padding
 * (at most 38 for 28 bytes).
 */
export function base62(bytes: Uint8Array): string {
  let rest = 0n;
  for (const byte of bytes) rest = rest * 256n + BigInt(byte);
  let text = '';
  do {
    text = `${BASE62_DIGITS[Number(rest % 62n)]}${text}`;
    rest /= 62n;
  } while (rest > 0n);
  return text;
}

/** base62 of the SHA-224 of the text's UTF-8 bytes (spec: api-types.md §12). */
export const sha224Base62 = (text: string): string => base62(createHash('sha224').update(text).digest());

/**
 * OLM's "deep hash": base62 SHA-224 of the Go JSON text and a newline (Go's encoder ends each value with
 * one). The key order of `object` counts: see {@link goJson}. Spec: api-types.md §12.
 */
export const deepHash = (object: unknown): string => sha224Base62(`${goJson(object)}\n`);

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/**
 * Lower-case hex, without padding, of the 64-bit FNV-1a hash of the text's UTF-8 bytes
 * (spec: api-types.md §12).
 */
export function fnv1a64Hex(text: string): string {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text, 'utf8')) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash.toString(16);
}
