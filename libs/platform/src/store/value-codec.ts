import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { ValueTooLarge } from './problem-store.port.js';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Larger values are worth the time to compress them. */
const COMPRESSED_FROM_BYTES = 1_024;
const PLAIN = 0;
const DEFLATED = 1;

/**
 * Encodes a text for Redis: one byte for the form, then the text, compressed if that pays.
 * @throws ValueTooLarge
 */
export async function encodeValue(what: string, text: string, maxBytes: number): Promise<Buffer> {
  const bytes = Buffer.from(text);
  if (bytes.length > maxBytes) throw new ValueTooLarge(what, bytes.length, maxBytes);
  if (bytes.length < COMPRESSED_FROM_BYTES) return Buffer.concat([Buffer.of(PLAIN), bytes]);
  return Buffer.concat([Buffer.of(DEFLATED), await deflate(bytes, { level: 3 })]);
}

/**
 * Returns the text. Returns undefined if {@link encodeValue} did not write the bytes or they would unpack to
 * more than `maxBytes`.
 */
export async function decodeValue(bytes: Buffer, maxBytes: number): Promise<string | undefined> {
  const body = bytes.subarray(1);
  if (bytes[0] === PLAIN) return body.length > maxBytes ? undefined : body.toString();
  if (bytes[0] !== DEFLATED) return undefined;
  return inflate(body, { maxOutputLength: maxBytes }).then(String, () => undefined);
}

export const sha256Hex = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

export function parseJson(text: string | null | undefined): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
