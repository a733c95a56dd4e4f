import { z } from 'zod';
import type { Digest } from '../../content/content-store.port.js';
import { digestOf, isDigest } from '../../content/digest.js';
import { acceptedManifests, MediaType } from '../client/media-types.js';
import { RegistryError } from '../client/registry-client.port.js';
import type { RegistryTransport } from '../http/registry-transport.js';
import type { Session } from '../http/session.js';
import { type FoundSignature, SignatureType } from './found-signature.js';

/** Signatures of one content that are read, of each kind of storage. */
const MOST_SIGNATURES = 50;
/** Bytes of a list of signatures, or of the description of one. */
const DOCUMENT_BYTES = 1024 * 1024;
/** Bytes of a payload that names a digest, and of a bundle or an envelope. */
const PAYLOAD_BYTES = 64 * 1024;
const BUNDLE_BYTES = 512 * 1024;

const Annotations = z.record(z.string(), z.string()).nullish();
const Descriptor = z.looseObject({
  mediaType: z.string(),
  digest: z.custom<Digest>((value) => typeof value === 'string' && isDigest(value)),
  size: z.int().nonnegative(),
  artifactType: z.string().nullish(),
  annotations: Annotations,
});
type Descriptor = z.infer<typeof Descriptor>;
const Manifest = z.looseObject({ layers: z.array(z.unknown()) });
const Index = z.looseObject({ manifests: z.array(z.unknown()) });

const ANNOTATION = {
  signature: 'dev.cosignproject.cosign/signature',
  certificate: 'dev.sigstore.cosign/certificate',
  rekor: 'dev.sigstore.cosign/bundle',
  timestamp: 'dev.sigstore.cosign/rfc3161timestamp',
} as const;

/** Answers by which a registry says that it does not know referrers, or has none. */
const WITHOUT_REFERRERS: readonly string[] = ['NotFound', 'NotARegistry', 'Incomplete'];

/**
 * Finds the signatures of content at the place of the content. Everything is bounded in number and size. A
 * registry that does not answer is an error, and not content without signatures.
 */
export class SignatureStorage {
  constructor(private readonly transport: RegistryTransport) {}

  /** Returns the signatures of cosign's own tag next to the image. */
  async tagged(session: Session, digest: Digest): Promise<readonly FoundSignature[]> {
    const bytes = await this.#document(session, `manifests/${tagOf(digest)}.sig`, acceptedManifests);
    if (bytes === undefined) return [];
    if (typeof bytes === 'string') return [unreadable(bytes)];
    const layers = listIn(bytes, Manifest, ({ layers: all }) => all);
    const found: FoundSignature[] = [];
    for (const layer of layers) {
      if (layer.mediaType === SignatureType.simpleSigning) found.push(await this.#simple(session, layer));
    }
    return found;
  }

  /**
   * Returns the signatures that refer to the content, by the API of referrers or the tag that replaces it.
   */
  async referring(session: Session, digest: Digest): Promise<readonly FoundSignature[]> {
    const accept = MediaType.ociIndex;
    const bytes =
      (await this.#document(session, `referrers/${digest}`, accept)) ??
      (await this.#document(session, `manifests/${tagOf(digest)}`, accept));
    if (bytes === undefined) return [];
    if (typeof bytes === 'string') return [unreadable(bytes)];
    const referrers = listIn(bytes, Index, ({ manifests }) => manifests).filter(isSignature);
    const found: FoundSignature[] = [];
    for (const referrer of referrers) found.push(await this.#referrer(session, referrer));
    return found;
  }

  async #simple(session: Session, layer: Descriptor): Promise<FoundSignature> {
    const { annotations } = layer;
    const signature = annotations?.[ANNOTATION.signature];
    if (signature === undefined) return unreadable(`layer ${layer.digest} names no signature`);
    const payload = await this.#blob(session, layer, PAYLOAD_BYTES);
    if (typeof payload === 'string') return unreadable(payload);
    const certificate = annotations?.[ANNOTATION.certificate];
    const rekor = annotations?.[ANNOTATION.rekor];
    const timestamp = annotations?.[ANNOTATION.timestamp];
    return {
      form: 'simplesigning',
      payload,
      signature,
      ...(certificate && { certificate }),
      ...(rekor && { rekor }),
      ...(timestamp && { timestamp }),
    };
  }

  async #referrer(session: Session, referrer: Descriptor): Promise<FoundSignature> {
    const bytes = await this.#document(session, `manifests/${referrer.digest}`, MediaType.ociManifest);
    if (typeof bytes === 'string') return unreadable(bytes);
    if (bytes === undefined || digestOf(bytes) !== referrer.digest) {
      return unreadable(`signature ${referrer.digest} is not what the registry lists`);
    }
    const [layer] = listIn(bytes, Manifest, ({ layers }) => layers);
    if (layer === undefined) return unreadable(`signature ${referrer.digest} has no content`);
    const content = await this.#blob(session, layer, BUNDLE_BYTES);
    if (typeof content === 'string') return unreadable(content);
    const { mediaType } = layer;
    return SignatureType.sigstoreBundle.test(mediaType)
      ? { form: 'bundle', bytes: content }
      : { form: 'notation', mediaType, bytes: content };
  }

  /** Returns the bytes of a blob, or the reason why they are unusable. */
  async #blob(session: Session, { digest, size }: Descriptor, most: number): Promise<Uint8Array | string> {
    if (size > most) return `signature ${digest} has ${size} bytes; the limit is ${most}`;
    const bytes = await this.#document(session, `blobs/${digest}`, '*/*', most);
    if (bytes === undefined) return `signature ${digest} is missing in the registry`;
    if (typeof bytes === 'string') return bytes;
    return digestOf(bytes) === digest ? bytes : `signature ${digest} has other bytes in the registry`;
  }

  /** Undefined if the registry has no such document; a text that says so if it is too large. */
  async #document(
    session: Session,
    path: string,
    accept: string,
    most = DOCUMENT_BYTES,
  ): Promise<Uint8Array | string | undefined> {
    const url = this.transport.url(session.reference, path);
    try {
      return (await this.transport.document(session, url, { headers: { accept } }, most)).bytes;
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      if (error.failure === 'TooLarge') return `a signature or its list is larger than ${most} bytes`;
      if (WITHOUT_REFERRERS.includes(error.failure)) return undefined;
      throw error;
    }
  }
}

const tagOf = (digest: Digest): string => digest.replace(':', '-');
const unreadable = (why: string): FoundSignature => ({ form: 'unreadable', why });

const isSignature = ({ artifactType }: Descriptor): boolean =>
  artifactType === SignatureType.notation || SignatureType.sigstoreBundle.test(artifactType ?? '');

/** The valid descriptors of a list, at most {@link MOST_SIGNATURES}. */
function listIn<T extends z.ZodType>(
  bytes: Uint8Array,
  schema: T,
  items: (document: z.infer<T>) => readonly unknown[],
): readonly Descriptor[] {
  const parsed = schema.safeParse(jsonIn(bytes));
  if (!parsed.success) return [];
  return items(parsed.data)
    .slice(0, MOST_LISTED)
    .flatMap((item) => Descriptor.safeParse(item).data ?? [])
    .slice(0, MOST_SIGNATURES);
}

/** Entries of a list that are searched for signatures. */
const MOST_LISTED = 1_000;

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
