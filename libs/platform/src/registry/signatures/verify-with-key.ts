import { type KeyObject, verify } from 'node:crypto';

/** Hashes that cosign signs with: SHA-256 for each key, and that of the curve in newer releases. */
const HASHES: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['sha256'],
  secp384r1: ['sha256', 'sha384'],
  secp521r1: ['sha256', 'sha512'],
};

/** True if the key made the signature. */
export function isSignedBy(key: KeyObject, signed: Uint8Array, signature: Uint8Array): boolean {
  if (key.asymmetricKeyType === 'ed25519') return verified(null, key, signed, signature);
  const hashes = HASHES[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? ['sha256'];
  return hashes.some((hash) => verified(hash, key, signed, signature));
}

/** Node throws for signatures of some odd forms, and answers false for the others. */
function verified(hash: string | null, key: KeyObject, signed: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(hash, signed, key, signature);
  } catch {
    return false;
  }
}

/** The bytes that a DSSE envelope signs. */
export function dsseEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = Buffer.from(payloadType);
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} `), type, Buffer.from(` ${payload.length} `), payload]);
}
