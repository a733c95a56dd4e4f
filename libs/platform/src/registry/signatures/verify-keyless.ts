import { createHash } from 'node:crypto';
import { type Bundle, bundleFromJSON } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import { z } from 'zod';
import type { SignatureClaim } from '#core/kernel/signatures/admit-content';
import type { Digest } from '../../content/content-store.port.js';
import type { FoundSignature } from './found-signature.js';
import type { SignatureCheck } from './signature-materials.js';

/** Entries of a log and times of one signature. Each costs a verification. */
const MOST_PROOFS = 10;
const Proofs = z.looseObject({
  verificationMaterial: z.looseObject({
    tlogEntries: z.array(z.unknown()).max(MOST_PROOFS).optional(),
    timestampVerificationData: z
      .looseObject({ rfc3161Timestamps: z.array(z.unknown()).max(MOST_PROOFS).optional() })
      .nullish(),
  }),
});

/** Verifies a bundle with a statement that is signed by a certificate of Fulcio. */
export function ofCertifiedBundle(document: unknown, digest: Digest, verification: SignatureCheck): SignatureClaim[] {
  if (!Proofs.safeParse(document).success) return [proofless(digest, 'its bundle cannot be read')];
  return overRoots(digest, verification, () => toSignedEntity(bundleOf(document)));
}

type Certified = Extract<FoundSignature, { form: 'simplesigning' }> & Readonly<{ certificate: string }>;

/** Verifies a payload of cosign's tag, with the certificate and the proofs in its annotations. */
export function ofCertifiedPayload(found: Certified, digest: Digest, verification: SignatureCheck): SignatureClaim[] {
  return overRoots(digest, verification, () => {
    const bundle = bundleOf(bundleOfAnnotations(found));
    return toSignedEntity(bundle, Buffer.from(found.payload));
  });
}

const bundleOf = (document: unknown): Bundle => bundleFromJSON(document as Parameters<typeof bundleFromJSON>[0]);

/** A new entity for each trust root: some are changed while they are verified. */
function overRoots(
  digest: Digest,
  { accepts, materials }: SignatureCheck,
  entityOf: () => ReturnType<typeof toSignedEntity>,
): SignatureClaim[] {
  const roots = new Set(accepts.flatMap((authority) => (authority.kind === 'keyless' ? [authority.root] : [])));
  return [...roots].map((root) => {
    try {
      const { identity } = verifierOf(materials.sigstoreRoots.get(root)).verify(entityOf());
      const issuer = identity?.extensions?.issuer;
      const name = identity?.subjectAlternativeName;
      if (issuer === undefined || name === undefined) return proofless(digest, 'its certificate names no identity');
      return { digest, by: 'identity', issuer, identity: name, root };
    } catch (error) {
      return proofless(
        digest,
        error instanceof Error ? error.message.slice(0, LONGEST_FAULT) : 'it cannot be verified',
      );
    }
  });
}

const LONGEST_FAULT = 120;
const proofless = (digest: Digest, fault: string): SignatureClaim => ({ digest, by: 'unknown', because: { fault } });

const verifiers = new WeakMap<object, Verifier>();

/** Makes the verifier. A trust root without logs is that of a private installation without logs. */
function verifierOf(document: unknown): Verifier {
  const key = Object(document);
  const known = verifiers.get(key);
  if (known !== undefined) return known;
  const root = TrustedRoot.fromJSON(document);
  const verifier = new Verifier(toTrustMaterial(root), {
    tlogThreshold: root.tlogs.length > 0 ? 1 : 0,
    ctlogThreshold: root.ctlogs.length > 0 ? 1 : 0,
    timestampThreshold: 1,
  });
  verifiers.set(key, verifier);
  return verifier;
}

const Rekor = z.looseObject({
  SignedEntryTimestamp: z.string(),
  Payload: z.looseObject({ body: z.string(), integratedTime: z.int(), logIndex: z.int(), logID: z.string() }),
});
const LogBody = z.looseObject({ kind: z.string(), apiVersion: z.string() });
const Timestamp = z.looseObject({ SignedRFC3161Timestamp: z.string() });

/** Returns the same signature as a bundle of the first version, the form that its annotations hold. */
function bundleOfAnnotations({ payload, signature, certificate, rekor, timestamp }: Certified): unknown {
  const stamped = timestamp === undefined ? [] : [Timestamp.parse(JSON.parse(timestamp)).SignedRFC3161Timestamp];
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
    verificationMaterial: {
      x509CertificateChain: { certificates: [{ rawBytes: derOf(certificate) }] },
      tlogEntries: rekor === undefined ? [] : [logEntryOf(Rekor.parse(JSON.parse(rekor)))],
      timestampVerificationData: { rfc3161Timestamps: stamped.map((signedTimestamp) => ({ signedTimestamp })) },
    },
    messageSignature: {
      messageDigest: { algorithm: 'SHA2_256', digest: createHash('sha256').update(payload).digest('base64') },
      signature,
    },
  };
}

function logEntryOf({ SignedEntryTimestamp, Payload }: z.infer<typeof Rekor>): unknown {
  const { kind, apiVersion } = LogBody.parse(JSON.parse(Buffer.from(Payload.body, 'base64').toString('utf8')));
  return {
    logIndex: String(Payload.logIndex),
    logId: { keyId: Buffer.from(Payload.logID, 'hex').toString('base64') },
    kindVersion: { kind, version: apiVersion },
    integratedTime: String(Payload.integratedTime),
    inclusionPromise: { signedEntryTimestamp: SignedEntryTimestamp },
    canonicalizedBody: Payload.body,
  };
}

/** The first certificate of a text in PEM. */
const derOf = (pem: string): string =>
  /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/.exec(pem)?.[1]?.replaceAll(/\s/g, '') ?? '';
