import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Digest } from './content-store.port.js';

export const digestOf = (bytes: Uint8Array): Digest => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Returns the digest of a file. Reads the file in parts. */
export async function digestOfFile(path: string): Promise<Digest> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Checks text from outside; nothing else may ever become part of a path. */
export const isDigest = (text: string): text is Digest => DIGEST.test(text);
