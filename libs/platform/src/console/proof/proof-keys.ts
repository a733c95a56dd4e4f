import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { PROOF_READERS, type ProofReader } from '#core/view/proof/console-proof';
import { fileReason } from '../../files/file-tree.error.js';
import { makeFolder } from '../../files/make-folder.js';
import type { HubKey } from '../../keys/hub-key.js';

/** The file with the public halves of the key pairs cannot be used. */
export class ProofKeysUnusable extends FlotillaError {
  readonly code = 'ProofKeysUnusable';
  readonly retry: Retry = 'when-input-changes';
  constructor(problem: string) {
    super(
      `FLOTILLA_CONSOLE_PROOF_KEYS_FILE ${problem}: \`flotilla console proof-keys\` prints the file where the hub's key is`,
    );
  }
}

/** The public half of a reader's key pair, as JSON Web Key: X25519. */
const PublicProofKey = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('X25519'),
  kid: z.enum(PROOF_READERS),
  x: z.string().regex(/^[\w-]{43}$/),
  /** A private key has no place in this file. */
  d: z.never().optional(),
});
const PublicProofKeySet = z.looseObject({ keys: z.array(PublicProofKey).max(16) });

/** The public halves of the key pairs, by reader. */
export type PublicProofKeys = Readonly<Record<ProofReader, KeyObject>>;

/** An X25519 private key in PKCS #8 ends with its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The private keys of a reader, derived from the hub's key: the one in use, then those of older hub keys. */
export const privateProofKeys = (key: HubKey, reader: ProofReader): readonly KeyObject[] =>
  key
    .secretsFor(`proofs of the console for the ${reader}`)
    .map((secret) => createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' }));

/** Returns the public halves of the key pairs that a hub's key makes. */
export function publicProofKeys(key: HubKey): PublicProofKeys {
  const of = (reader: ProofReader) => {
    const [inUse] = privateProofKeys(key, reader);
    if (inUse === undefined) throw new RangeError('a hub key without a key');
    return createPublicKey(inUse);
  };
  return { applier: of('applier'), poller: of('poller') };
}

/** Returns the public halves as a JSON Web Key Set. They are not secret. */
export function proofKeysText(keys: PublicProofKeys): string {
  const set = PROOF_READERS.map((kid) => ({ ...keys[kid].export({ format: 'jwk' }), use: 'enc', alg: 'ECDH-ES', kid }));
  return `${JSON.stringify({ keys: set }, undefined, 2)}\n`;
}

/** Writes the file of the public halves, if it does not have them already. */
export async function writeProofKeys(file: string, keys: PublicProofKeys): Promise<void> {
  const text = proofKeysText(keys);
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  const made = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await makeFolder(dirname(file), 0o700);
    await writeFile(made, text, { mode: 0o644, flag: 'wx' });
    await rename(made, file);
  } catch (error) {
    throw new ProofKeysUnusable(`names ${file}, which cannot be written (${fileReason(error)})`);
  } finally {
    await rm(made, { force: true }).catch(() => undefined);
  }
}

const MOST_BYTES = 16_384;

/** @throws ProofKeysUnusable */
export async function readProofKeys(file: string): Promise<PublicProofKeys> {
  const { size } = await stat(file).catch(unreadable(file));
  if (size > MOST_BYTES) throw new ProofKeysUnusable(`names ${file}, but a file of ${size} bytes is too large`);
  const text = await readFile(file, 'utf8').catch(unreadable(file));
  const { data } = PublicProofKeySet.safeParse(jsonOf(text));
  const of = (reader: ProofReader): KeyObject => {
    const found = data?.keys.find(({ kid }) => kid === reader);
    if (found === undefined) throw new ProofKeysUnusable(`names ${file}, which has no X25519 public key "${reader}"`);
    const { kty, crv, x } = found;
    return createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
  };
  return { applier: of('applier'), poller: of('poller') };
}

const unreadable =
  (file: string) =>
  (error: unknown): never => {
    throw new ProofKeysUnusable(`names ${file}, but it cannot be read (${fileReason(error)})`);
  };

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
