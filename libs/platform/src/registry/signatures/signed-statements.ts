import { z } from 'zod';
import type { Digest } from '../../content/content-store.port.js';
import { isDigest } from '../../content/digest.js';

/** The type by which `cosign sign` names the signed content in its own payloads. */
const COSIGN_TYPE = 'cosign container image signature';
const Payload = z.looseObject({
  critical: z.looseObject({
    type: z.literal(COSIGN_TYPE),
    image: z.looseObject({ 'docker-manifest-digest': z.string() }),
  }),
});

/**
 * The statement that `cosign sign` makes. Any other one, such as provenance or a report, says something about
 * the content and does not sign it.
 */
const SIGN_PREDICATE = 'https://sigstore.dev/cosign/sign/v1';
const STATEMENT_TYPE = 'application/vnd.in-toto+json';
const MOST_SUBJECTS = 1_000;
const Statement = z.looseObject({
  _type: z.string().startsWith('https://in-toto.io/Statement/'),
  predicateType: z.string(),
  subject: z.array(z.looseObject({ digest: z.looseObject({ sha256: z.string().optional() }) })).max(MOST_SUBJECTS),
});

const NotationPayload = z.looseObject({ targetArtifact: z.looseObject({ digest: z.string() }) });

/** The digests that signed bytes name, or why they sign nothing. */
type NamedDigests = Readonly<{ digests: readonly Digest[] }> | Readonly<{ fault: string }>;

export function namedByPayload(bytes: Uint8Array): NamedDigests {
  const parsed = Payload.safeParse(jsonOf(bytes));
  if (!parsed.success) return { fault: 'its payload is none of cosign' };
  return onlyDigests([parsed.data.critical.image['docker-manifest-digest']]);
}

export function namedByStatement(payloadType: string, bytes: Uint8Array): NamedDigests {
  const parsed = Statement.safeParse(payloadType === STATEMENT_TYPE ? jsonOf(bytes) : undefined);
  if (!parsed.success) return { fault: 'it holds no in-toto statement' };
  const { predicateType, subject } = parsed.data;
  if (predicateType !== SIGN_PREDICATE) return { fault: 'it is an attestation, and no signature' };
  return onlyDigests(subject.map(({ digest }) => `sha256:${digest.sha256}`));
}

export function namedByNotation(bytes: Uint8Array): NamedDigests {
  const parsed = NotationPayload.safeParse(jsonOf(bytes));
  if (!parsed.success) return { fault: 'its payload is none of notation' };
  return onlyDigests([parsed.data.targetArtifact.digest]);
}

/** Returns the reason why the signature is not for the content. Returns undefined if it is. */
export function faultOf(named: NamedDigests, digest: Digest): string | undefined {
  if ('fault' in named) return named.fault;
  return named.digests.includes(digest) ? undefined : `it is of other content (${named.digests[0]})`;
}

function onlyDigests(texts: readonly string[]): NamedDigests {
  const digests = texts.filter(isDigest);
  return digests.length > 0 ? { digests } : { fault: 'it names no digest' };
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
