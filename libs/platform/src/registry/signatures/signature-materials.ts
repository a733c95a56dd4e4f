import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { Authority } from '#core/kernel/signatures/signature-policy';

/** Key material of a policy that cannot be used. The caller puts the file's name before the message. */
export class UnusableMaterial extends FlotillaError {
  readonly code = 'UnusableMaterial';
  readonly retry: Retry = 'when-input-changes';
}

/** Keys and roots that verify signatures, by the id that the policy gives them. */
export type SignatureMaterials = Readonly<{
  keys: ReadonlyMap<string, KeyObject>;
  /** Documents of trust roots of sigstore (`trusted_root.json`). */
  sigstoreRoots: ReadonlyMap<string, unknown>;
  /** Authorities with certificates that sign for notation. */
  authorities: ReadonlyMap<string, readonly X509Certificate[]>;
}>;

/** Keys and roots that verify signatures, and the time of verification. */
export type SignatureCheck = Readonly<{
  accepts: readonly Authority[];
  materials: SignatureMaterials;
  now: Date;
}>;

export const materialId = (bytes: Uint8Array | string): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const CURVES: readonly string[] = ['prime256v1', 'secp384r1', 'secp521r1'];
const LEAST_RSA_BITS = 2048;

/** Reads a public key in PEM. Throws {@link UnusableMaterial}. */
export function readPublicKey(text: string): KeyObject {
  if (text.includes('PRIVATE KEY')) {
    throw new UnusableMaterial('holds a private key: give the public one (cosign.pub), and keep the other secret');
  }
  if ((text.match(/-----BEGIN /g) ?? []).length > 1) throw new UnusableMaterial('holds several keys: one is expected');
  const key = parsed(text, (pem) => createPublicKey(pem), 'is not a public key in PEM');
  const { namedCurve = '', modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  const isUsable =
    key.asymmetricKeyType === 'ed25519' ||
    (key.asymmetricKeyType === 'ec' && CURVES.includes(namedCurve)) ||
    (key.asymmetricKeyType === 'rsa' && modulusLength >= LEAST_RSA_BITS);
  if (isUsable) return key;
  throw new UnusableMaterial(
    'is not a key that cosign signs with: ECDSA (P-256, P-384, P-521), RSA of 2048 bits, Ed25519',
  );
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const MOST_CERTIFICATES = 100;

/** Reads certificates of authorities in PEM. Throws {@link UnusableMaterial}. */
export function readAuthorities(text: string): readonly X509Certificate[] {
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new UnusableMaterial('holds no certificate in PEM');
  if (found.length > MOST_CERTIFICATES) throw new UnusableMaterial(`holds more than ${MOST_CERTIFICATES} certificates`);
  return found.map((pem) => parsed(pem, (one) => new X509Certificate(one), 'holds a certificate that cannot be read'));
}

function parsed<T>(text: string, parse: (text: string) => T, problem: string): T {
  try {
    return parse(text);
  } catch {
    throw new UnusableMaterial(problem);
  }
}

/**
 * Returns the attributes of a certificate's subject. Node writes one attribute a line, people write all in
 * one; a comma within a value has a backslash before it in both.
 */
export const subjectOf = (text: string): readonly string[] =>
  text
    .split(/\n|(?<!\\),\s*/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
