import { z } from 'zod';
import { isDigest } from '../../content/digest.js';
import { isIndex, isLayer, isManifest, MediaType } from './media-types.js';
import type { RegistryError, RegistryFailure } from './registry-client.port.js';

/** Makes the error of one pull or push; the caller fills in the reference. */
export type Refuse = (failure: RegistryFailure, message: string) => RegistryError;

const Digest = z.custom<`sha256:${string}`>(
  (value) => typeof value === 'string' && isDigest(value),
  'no sha256 digest',
);
const MOST_MANIFESTS = 1_000;
const Descriptor = z.looseObject({ mediaType: z.string(), digest: Digest, size: z.int().nonnegative() });
export type Descriptor = z.infer<typeof Descriptor>;

/** Returns the name of a blob in errors: `layer sha256:…` or `config sha256:…`. */
export const partName = ({ mediaType, digest }: Descriptor): string =>
  `${isLayer(mediaType) ? 'layer' : 'config'} ${digest}`;

/** Go writes and reads null for an empty text or list, or leaves it out. */
const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
const listOf = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((list) => list ?? []);

const Platform = z.looseObject({ os: Text, architecture: Text });
/** Entries of an index that are no images are not read, and need not be valid descriptors. */
const IndexEntry = z.looseObject({
  mediaType: Text,
  digest: z.unknown().optional(),
  platform: Platform.nullish(),
  artifactType: z.string().nullish(),
});
const Index = z.looseObject({
  mediaType: z.string().nullish(),
  manifests: listOf(IndexEntry.nullable()).refine((all) => all.length <= MOST_MANIFESTS, 'too many'),
});
const Manifest = z.looseObject({
  mediaType: z.string().nullish(),
  config: Descriptor,
  layers: listOf(Descriptor),
});
const Config = z.looseObject({
  config: z.looseObject({ Labels: z.record(z.string(), z.string().nullable()).nullish() }).nullish(),
});
export type ImageIndex = z.infer<typeof Index>;
export type ImageManifest = z.infer<typeof Manifest>;

/** Bytes of a manifest request, with the registry's media type for them. */
export type ManifestDocument = Readonly<{ bytes: Uint8Array; contentType: string }>;

/**
 * Parses an index or a manifest, as the document says. Its own mediaType counts before the Content-Type. If
 * it has none and the Content-Type names no image, its members decide: some registries and proxies send every
 * document as application/json or text/plain.
 */
export function parseManifest(
  { bytes, contentType }: ManifestDocument,
  refuse: Refuse,
): { index: ImageIndex } | { manifest: ImageManifest } {
  const document = parseJson(bytes, contentType, refuse);
  const mediaType = mediaTypeOf(document) ?? typeByContent(document, contentType);
  if (isIndex(mediaType)) return { index: parsed(Index, document, 'image index', refuse) };
  if (isManifest(mediaType)) return { manifest: parsed(Manifest, document, 'image manifest', refuse) };
  throw refuse(
    'Unsupported',
    `media type "${mediaType}" is not supported: push an OCI or Docker schema 2 image (manifest or index)`,
  );
}

/** Labels of an image config. */
export function labelsOf(bytes: Uint8Array, refuse: Refuse): Readonly<Record<string, string>> {
  const config = parsed(Config, parseJson(bytes, 'image config', refuse), 'image config', refuse);
  const labels = Object.entries(config.config?.Labels ?? {});
  return Object.fromEntries(labels.map(([key, value]) => [key, value ?? '']));
}

function parseJson(bytes: Uint8Array, what: string, refuse: Refuse): unknown {
  const text = Buffer.from(bytes).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    const beginning = JSON.stringify(text.slice(0, 40));
    throw refuse(
      'Malformed',
      `expected JSON, got ${what} beginning with ${beginning}: is this host an image registry?`,
    );
  }
}

function mediaTypeOf(document: unknown): string | undefined {
  const { data } = z.looseObject({ mediaType: z.string().min(1) }).safeParse(document);
  return data?.mediaType;
}

const Members = z.looseObject({ schemaVersion: z.literal(2) });

function typeByContent(document: unknown, contentType: string): string {
  if (isIndex(contentType) || isManifest(contentType)) return contentType;
  const { data } = Members.safeParse(document);
  if (data?.['manifests'] !== undefined) return MediaType.ociIndex;
  return data?.['config'] !== undefined && data['layers'] !== undefined ? MediaType.ociManifest : contentType;
}

function parsed<T extends z.ZodType>(schema: T, document: unknown, what: string, refuse: Refuse): z.infer<T> {
  const result = schema.safeParse(document);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const where = issue?.path.length ? ` at ${issue.path.join('.')}` : '';
  throw refuse('Malformed', `the ${what} is not valid${where}: ${issue?.message ?? 'unknown shape'}`);
}

/**
 * Returns the platform's manifest: linux on this architecture, otherwise linux/amd64, otherwise the first
 * that holds an image. Signatures, attestations and other artifacts of an index hold none.
 */
export function chooseManifest(index: ImageIndex, architecture: string, refuse: Refuse): Named {
  const images = index.manifests.filter((entry) => entry !== null).filter(isImage);
  const linux = (wanted: string) =>
    images.find(({ platform }) => platform?.os === 'linux' && platform.architecture === wanted);
  const chosen = linux(architecture) ?? linux('amd64') ?? images[0];
  if (chosen === undefined) throw refuse('Malformed', 'the image index lists no image');
  return parsed(Named, chosen, 'image index', refuse);
}

/** All that is needed of a manifest in an index: its bytes are checked against its digest. */
const Named = z.looseObject({ digest: Digest });
type Named = z.infer<typeof Named>;

const isImage = ({ mediaType, artifactType, platform }: z.infer<typeof IndexEntry>): boolean =>
  platform?.os !== 'unknown' && !artifactType && (isManifest(mediaType) || isIndex(mediaType));
