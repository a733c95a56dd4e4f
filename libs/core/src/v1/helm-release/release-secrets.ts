import { z } from 'zod';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { asRecord, asText } from '../../kernel/crd/loose-value.js';

const INDEX_TYPE = 'operatorframework.io/index.v1';
const CHUNK_TYPE = 'operatorframework.io/chunk.v1';
const DEPLOYED = 'deployed';

/** Limits of OLM v1's writes: chunks, and bytes of one (spec: v1-apply.md §6). */
const MOST_CHUNKS = 11;
const MOST_CHUNK_BYTES = 1016 * 1024;
const MOST_BASE64 = Math.ceil(MOST_CHUNK_BYTES / 3) * 4;

const SECRET_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Selects the first Secret of every stored release of an extension (spec: v1-apply.md §6). */
export const releaseSelector = (extension: string): string => `owner=operator-controller,type=index,name=${extension}`;

/**
 * Returns the first Secret of the newest deployed release. The release must belong to the extension with that
 * uid, and not to an earlier one with its name. Undefined if there is none.
 */
export function deployedRelease(
  secrets: readonly KubernetesObject[],
  extensionUid: string | undefined,
): KubernetesObject | undefined {
  const deployed = secrets.filter(
    ({ type, metadata: { labels, ownerReferences, deletionTimestamp } }) =>
      type === INDEX_TYPE &&
      deletionTimestamp === undefined &&
      labels?.['status'] === DEPLOYED &&
      ownerReferences?.some(({ uid }) => uid === extensionUid),
  );
  return deployed.toSorted((a, b) => numberOf(b) - numberOf(a))[0];
}

/** The number of a release; one without a number comes last. */
const numberOf = ({ metadata }: KubernetesObject): number => {
  const number = Number(metadata.labels?.['version']);
  return Number.isSafeInteger(number) ? number : -1;
};

const ChunkNames = z.array(z.string().regex(SECRET_NAME));

/** Names of the further Secrets of a release, in order; or why they cannot be known. */
export function furtherChunks(index: KubernetesObject): readonly string[] | Readonly<{ error: string }> {
  const encoded = asRecord(index['data'])['extraChunks'];
  const names = typeof encoded === 'string' && encoded.length <= MOST_BASE64 ? namesIn(encoded) : undefined;
  if (names === undefined) return { error: 'it does not list the Secrets with its other parts' };
  if (names.length < MOST_CHUNKS) return names;
  return { error: `it has parts in ${names.length} more Secrets, but OLM v1 writes at most ${MOST_CHUNKS} in all` };
}

function namesIn(encoded: string): readonly string[] | undefined {
  try {
    return ChunkNames.safeParse(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

/**
 * Returns the bytes of a release, from its first Secret and the further ones; or the part that is missing or
 * too large.
 */
export function releaseBytes(
  index: KubernetesObject,
  further: readonly (readonly [name: string, secret: KubernetesObject | undefined])[],
): Uint8Array | Readonly<{ error: string }> {
  const parts: Uint8Array[] = [];
  for (const [name, secret] of [[index.metadata.name ?? '', index] as const, ...further]) {
    if (secret === undefined) return { error: `Secret ${name} is missing` };
    const encoded = asText(asRecord(secret['data'])['chunk']);
    const isPart = secret === index || secret['type'] === CHUNK_TYPE;
    if (!isPart || encoded === '') return { error: `Secret ${name} contains no part of a release` };
    if (encoded.length > MOST_BASE64) return { error: `Secret ${name} is larger than any Secret that OLM v1 writes` };
    parts.push(Buffer.from(encoded, 'base64'));
  }
  return Buffer.concat(parts);
}

/**
 * Returns OLM v1's notes on a release besides its content: labels, and annotations for values that do not fit
 * a label.
 */
export const releaseLabels = ({ metadata }: KubernetesObject): Readonly<Record<string, string>> => ({
  ...metadata.labels,
  ...metadata.annotations,
});
