import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { ProofStatement } from '#core/view/proof/console-proof';
import { parsedJson } from '../followed-stream.js';

const [ALGORITHM, ENCRYPTION] = ['ECDH-ES', 'A256GCM'];
const ALLOWED = { keyManagementAlgorithms: [ALGORITHM], contentEncryptionAlgorithms: [ENCRYPTION] };
const TYPE = 'flotilla-proof';
/** A longer text is no proof, and is not decrypted. */
const LONGEST_PROOF = 65_536;

/** Late: a service without a console needs no cryptography of this kind. */
const library = () => import('jose');

/** Encrypts a statement for the holder of the private key: JWE, ECDH-ES with X25519, A256GCM. */
export async function sealProof(statement: ProofStatement, publicKey: KeyObject): Promise<string> {
  const { CompactEncrypt } = await library();
  return new CompactEncrypt(Buffer.from(JSON.stringify(statement)))
    .setProtectedHeader({ alg: ALGORITHM, enc: ENCRYPTION, typ: TYPE })
    .encrypt(publicKey);
}

/** Returns the statement; undefined if none of the keys opens it, or it has another shape. */
export async function openProof(
  sealed: string,
  privateKeys: readonly KeyObject[],
): Promise<ProofStatement | undefined> {
  if (sealed.length > LONGEST_PROOF) return undefined;
  const { compactDecrypt } = await library();
  for (const key of privateKeys) {
    const opened = await compactDecrypt(sealed, key, ALLOWED).catch(() => undefined);
    if (opened === undefined) continue;
    if (opened.protectedHeader.typ !== TYPE) return undefined;
    return ProofStatement.safeParse(parsedJson(Buffer.from(opened.plaintext).toString('utf8'))).data;
  }
  return undefined;
}

type Coded = Omit<ProofStatement, 'by'>;

/** Returns the code that proves, for a console without accounts, that it has the console's key. */
export function codeOfKey(key: string, { v, reader, verb, subject, nonce, atMs }: Coded): string {
  const text = JSON.stringify(['console proof', v, reader, verb, subject, nonce, atMs]);
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** True if the code was made with this key for this statement. */
export function isCodeOfKey(code: string, key: string, statement: Coded): boolean {
  const [given, expected] = [Buffer.from(code), Buffer.from(codeOfKey(key, statement))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
