import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { ReleasedFile } from './provenance.js';

/** A private key that cannot sign a release. */
export class UnusableKey extends Error {}

const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const STATEMENT_TYPE = 'application/vnd.in-toto+json';
export const PUBLIC_KEY = 'flotilla.pub';

/** Reads a private key that signs as `cosign sign-blob` does. Throws {@link UnusableKey}. */
export function signingKey(pem: string, passphrase?: string): KeyObject {
  if (pem.includes('ENCRYPTED SIGSTORE PRIVATE KEY') || pem.includes('ENCRYPTED COSIGN PRIVATE KEY')) {
    throw new UnusableKey(
      "is encrypted in cosign's own form: give the key in PEM (openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256), which cosign import-key-pair takes too",
    );
  }
  const key = parsed(pem, passphrase);
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return key;
  if (key.asymmetricKeyType === 'rsa' && modulusLength >= 2048) return key;
  throw new UnusableKey('must be ECDSA P-256, or RSA of at least 2048 bits');
}

function parsed(pem: string, passphrase: string | undefined): KeyObject {
  try {
    return createPrivateKey({ key: pem, ...(passphrase !== undefined && { passphrase }) });
  } catch {
    throw new UnusableKey('is not a private key in PEM that can be read; KEY_PASSWORD has its password, if it has one');
  }
}

/**
 * Returns the public key and the files that `cosign verify-blob` and `cosign verify-blob-attestation` accept
 * with it: a bundle for each file, one for the statement of provenance, and the bare signature of the
 * checksums. openssl verifies the bare signature, too.
 */
export function signatureFiles(
  key: KeyObject,
  files: readonly ReleasedFile[],
  { statement, sums }: Readonly<{ statement: ReleasedFile; sums: ReleasedFile }>,
): readonly ReleasedFile[] {
  const publicKey = createPublicKey(key);
  const bundles = [...files, sums].map((file) => ({
    name: `${file.name}.sigstore.json`,
    content: document(key, { messageSignature: messageSignature(key, file.content) }),
  }));
  const attested = { dsseEnvelope: envelope(key, statement.content) };
  return [
    ...bundles,
    { name: statement.name.replace(/\.json$/, '.sigstore.json'), content: document(key, attested) },
    { name: `${sums.name}.sig`, content: text(sign('sha256', sums.content, key).toString('base64')) },
    { name: PUBLIC_KEY, content: text(publicKey.export({ type: 'spki', format: 'pem' }).toString()) },
  ];
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

function document(key: KeyObject, content: object): Uint8Array {
  const hint = hash(createPublicKey(key).export({ type: 'spki', format: 'der' }));
  const bundle = { mediaType: BUNDLE_TYPE, verificationMaterial: { publicKey: { hint } }, ...content };
  return text(`${JSON.stringify(bundle)}\n`);
}

const messageSignature = (key: KeyObject, content: Uint8Array) => ({
  messageDigest: { algorithm: 'SHA2_256', digest: hash(content) },
  signature: sign('sha256', content, key).toString('base64'),
});

function envelope(key: KeyObject, payload: Uint8Array) {
  const head = `DSSEv1 ${STATEMENT_TYPE.length} ${STATEMENT_TYPE} ${payload.length} `;
  const signature = sign('sha256', Buffer.concat([Buffer.from(head), payload]), key);
  return {
    payload: Buffer.from(payload).toString('base64'),
    payloadType: STATEMENT_TYPE,
    signatures: [{ sig: signature.toString('base64') }],
  };
}
