import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { SignatureClaim } from '#core/kernel/signatures/admit-content';
import type { Digest } from '../../content/content-store.port.js';
import { type FoundSignature, SignatureType } from './found-signature.js';
import type { SignatureCheck } from './signature-materials.js';
import { faultOf, namedByPayload, namedByStatement } from './signed-statements.js';
import { dsseEncoding, isSignedBy } from './verify-with-key.js';

type Key = Readonly<{ id: string; key: KeyObject }>;

/**
 * Verifies a signature that was found for `digest`, and returns the claims that it proves. A signature that
 * names other content proves nothing.
 */
export async function claimsOf(
  found: FoundSignature,
  digest: Digest,
  verification: SignatureCheck,
): Promise<readonly SignatureClaim[]> {
  switch (found.form) {
    case 'unreadable':
      return [proofless(digest, found.why)];
    case 'simplesigning':
      return ofPayload(found, digest, verification);
    case 'bundle':
      return ofBundle(found.bytes, digest, verification);
    case 'notation':
      return ofEnvelope(found, digest, verification);
  }
}

const proofless = (digest: Digest, fault: string): SignatureClaim => ({ digest, by: 'unknown', because: { fault } });
const otherKey = (digest: Digest): SignatureClaim => ({ digest, by: 'unknown', because: 'other-key' });

type Simple = Extract<FoundSignature, { form: 'simplesigning' }>;

async function ofPayload(found: Simple, digest: Digest, verification: SignatureCheck): Promise<SignatureClaim[]> {
  const fault = faultOf(namedByPayload(found.payload), digest);
  if (fault !== undefined) return [proofless(digest, fault)];
  const byKey = signedByKeys(found.payload, Buffer.from(found.signature, 'base64'), digest, verification);
  if (byKey.length > 0) return byKey;
  if (found.certificate === undefined || !hasRoots(verification)) return [otherKey(digest)];
  const { ofCertifiedPayload } = await import('./verify-keyless.js');
  return ofCertifiedPayload({ ...found, certificate: found.certificate }, digest, verification);
}

const Envelope = z.looseObject({
  payload: z.string(),
  payloadType: z.string(),
  signatures: z
    .array(z.looseObject({ sig: z.string() }))
    .min(1)
    .max(1),
});
const Bundle = z.looseObject({
  verificationMaterial: z.looseObject({ publicKey: z.unknown().optional() }),
  dsseEnvelope: Envelope.optional(),
});

async function ofBundle(bytes: Uint8Array, digest: Digest, verification: SignatureCheck): Promise<SignatureClaim[]> {
  const document = jsonOf(bytes);
  const parsed = Bundle.safeParse(document);
  const envelope = parsed.data?.dsseEnvelope;
  if (envelope === undefined) return [proofless(digest, 'its bundle holds no statement')];
  const payload = Buffer.from(envelope.payload, 'base64');
  const fault = faultOf(namedByStatement(envelope.payloadType, payload), digest);
  if (fault !== undefined) return [proofless(digest, fault)];
  const signature = Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64');
  const byKey = signedByKeys(dsseEncoding(envelope.payloadType, payload), signature, digest, verification);
  if (byKey.length > 0) return byKey;
  const isOfKey = parsed.data?.verificationMaterial.publicKey !== undefined;
  if (isOfKey || !hasRoots(verification)) return [otherKey(digest)];
  const { ofCertifiedBundle } = await import('./verify-keyless.js');
  return ofCertifiedBundle(document, digest, verification);
}

type NotationFound = Extract<FoundSignature, { form: 'notation' }>;

async function ofEnvelope(
  found: NotationFound,
  digest: Digest,
  verification: SignatureCheck,
): Promise<SignatureClaim[]> {
  if (found.mediaType !== SignatureType.jws) {
    return [proofless(digest, `its envelope is ${found.mediaType.slice(0, 60)}; ${SignatureType.jws} is read`)];
  }
  if (!verification.accepts.some(({ kind }) => kind === 'certificate')) return [otherKey(digest)];
  const { ofNotation } = await import('./verify-notation.js');
  return ofNotation(found.bytes, digest, verification);
}

function signedByKeys(
  signed: Uint8Array,
  signature: Uint8Array,
  digest: Digest,
  verification: SignatureCheck,
): SignatureClaim[] {
  return keysOf(verification)
    .filter(({ key }) => isSignedBy(key, signed, signature))
    .map(({ id }) => ({ digest, by: 'key', key: id }));
}

const keysOf = ({ accepts, materials }: SignatureCheck): readonly Key[] =>
  accepts.flatMap((authority) => {
    const key = authority.kind === 'key' ? materials.keys.get(authority.key) : undefined;
    return authority.kind === 'key' && key !== undefined ? [{ id: authority.key, key }] : [];
  });

const hasRoots = ({ accepts }: SignatureCheck): boolean => accepts.some(({ kind }) => kind === 'keyless');

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
