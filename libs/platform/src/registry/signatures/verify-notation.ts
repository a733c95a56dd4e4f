import { X509Certificate } from 'node:crypto';
import { flattenedVerify } from 'jose';
import { z } from 'zod';
import type { SignatureClaim } from '#core/kernel/signatures/admit-content';
import type { Digest } from '../../content/content-store.port.js';
import { chainFault } from './certificate-chain.js';
import { type SignatureCheck, subjectOf } from './signature-materials.js';
import { faultOf, namedByNotation } from './signed-statements.js';

const MOST_CERTIFICATES = 10;
const Envelope = z.looseObject({
  payload: z.string(),
  protected: z.string(),
  signature: z.string(),
  header: z.looseObject({ x5c: z.array(z.string()).min(1).max(MOST_CERTIFICATES) }),
});

const HEADER = 'io.cncf.notary.';
const Protected = z.looseObject({
  cty: z.literal('application/vnd.cncf.notary.payload.v1+json'),
  [`${HEADER}signingScheme`]: z.literal('notary.x509'),
  [`${HEADER}expiry`]: z.iso.datetime({ offset: true }).optional(),
});

/** Algorithms of the specification of notation. */
const ALGORITHMS = ['PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];
/** Critical fields that a signature may have; all of these are read here, or decide nothing. */
const UNDERSTOOD = Object.fromEntries(
  ['signingScheme', 'signingTime', 'expiry'].map((name) => [`${HEADER}${name}`, true]),
);

/** Verifies a JWS envelope of notation against each set of authorities of the policy. */
export async function ofNotation(
  bytes: Uint8Array,
  digest: Digest,
  { accepts, materials, now }: SignatureCheck,
): Promise<SignatureClaim[]> {
  const read = await readEnvelope(bytes, digest, now);
  if ('fault' in read) return [proofless(digest, read.fault)];
  const roots = new Set(accepts.flatMap((authority) => (authority.kind === 'certificate' ? [authority.root] : [])));
  return [...roots].map((root) => {
    const fault = chainFault(read.chain, materials.authorities.get(root) ?? [], now);
    if (fault !== undefined) return proofless(digest, fault);
    return { digest, by: 'certificate', subject: subjectOf(read.chain[0].subject), root };
  });
}

const proofless = (digest: Digest, fault: string): SignatureClaim => ({ digest, by: 'unknown', because: { fault } });

type Chain = readonly [X509Certificate, ...X509Certificate[]];
type ReadEnvelope = Readonly<{ chain: Chain }> | Readonly<{ fault: string }>;

/**
 * Reads the certificates of an envelope. Returns a fault unless the first certificate made the signature, and
 * the content is the signed one.
 */
async function readEnvelope(bytes: Uint8Array, digest: Digest, now: Date): Promise<ReadEnvelope> {
  try {
    const { payload, protected: head, signature, header } = Envelope.parse(JSON.parse(Buffer.from(bytes).toString()));
    const [leaf, ...others] = header.x5c.map((text) => new X509Certificate(Buffer.from(text, 'base64')));
    if (leaf === undefined) return { fault: 'it has no certificate' };
    const options = { algorithms: ALGORITHMS, crit: UNDERSTOOD };
    const verified = await flattenedVerify({ payload, protected: head, signature }, leaf.publicKey, options);
    const read = Protected.safeParse(verified.protectedHeader);
    if (!read.success) return { fault: 'its signing scheme is not supported' };
    const expiry = read.data[`${HEADER}expiry`];
    if (typeof expiry === 'string' && Date.parse(expiry) < now.getTime()) return { fault: `it expired on ${expiry}` };
    const fault = faultOf(namedByNotation(verified.payload), digest);
    return fault === undefined ? { chain: [leaf, ...others] } : { fault };
  } catch (error) {
    const why = error instanceof z.ZodError || error instanceof SyntaxError ? 'its form is unknown' : String(error);
    return { fault: `its envelope cannot be verified: ${why.slice(0, LONGEST_FAULT)}` };
  }
}

const LONGEST_FAULT = 100;
