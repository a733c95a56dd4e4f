import { createHash } from 'node:crypto';
import type { Digest } from './content-store.port.js';

export const digestOf = (bytes: Uint8Array): Digest => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Checks text from outside; nothing else may ever become part of a path. */
export const isDigest = (text: string): text is Digest => DIGEST.test(text);
