import { open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { Digest } from '../content/content-store.port.js';
import { digestOf, isDigest } from '../content/digest.js';
import { makeFolder } from '../files/make-folder.js';
import { type Descriptor, partName, type Refuse } from './client/image-manifest.js';
import { MediaType } from './client/media-types.js';
import {
  type FolderOf,
  type FoldersOf,
  type PulledImage,
  type PullOptions,
  RegistryClient,
  RegistryError,
  type UnpackedImage,
} from './client/registry-client.port.js';
import { defaultRegistryLimits, type RegistryLimits } from './client/registry-limits.js';
import {
  type FoundManifest,
  hostArchitecture,
  ImagePuller,
  type ImageSource,
  type PullGuard,
} from './image/image-puller.js';
import { type Consume, readVerified } from './image/verified-blob.js';
import { type BuiltImage, descriptorOf } from './image-builder.js';

const REF_NAME = 'org.opencontainers.image.ref.name';
const Entry = z.looseObject({
  mediaType: z.string(),
  digest: z.custom<Digest>((value) => typeof value === 'string' && isDigest(value), 'no sha256 digest'),
  size: z.int().nonnegative(),
  annotations: z.record(z.string(), z.string()).optional(),
});
const Index = z.looseObject({ schemaVersion: z.literal(2), manifests: z.array(Entry).max(10_000) });

/** An image in a directory: `oci:DIR[:TAG]`. */
export type LayoutReference = Readonly<{ text: string; directory: string; tag?: string }>;

/**
 * Returns undefined if the text does not begin with `oci:`. Throws RegistryError InvalidReference if the
 * directory is missing.
 */
export function parseLayoutReference(text: string): LayoutReference | undefined {
  if (!text.startsWith('oci:')) return undefined;
  const rest = text.slice('oci:'.length);
  const colon = rest.lastIndexOf(':');
  const tagged = colon > rest.lastIndexOf('/');
  const directory = tagged ? rest.slice(0, colon) : rest;
  const tag = tagged ? rest.slice(colon + 1) : undefined;
  if (directory === '' || tag === '') {
    throw new RegistryError('InvalidReference', text, `invalid layout reference "${text}": expected oci:DIR[:TAG]`);
  }
  return { text, directory, ...(tag === undefined ? {} : { tag }) };
}

/**
 * Adds an image to a layout directory under a tag. The tag moves if it was there; the directory is made if
 * there is none.
 */
export async function writeLayout(directory: string, tag: string, image: BuiltImage): Promise<Digest> {
  const blobs = join(directory, 'blobs', 'sha256');
  await makeFolder(blobs);
  for (const { digest, bytes } of [...image.layers, image.config, image.manifest]) {
    await replaceFile(join(blobs, digest.slice('sha256:'.length)), bytes);
  }
  const held = await heldManifests(directory);
  const others = held.filter(({ annotations }) => annotations?.[REF_NAME] !== tag);
  const manifests = [...others, { ...descriptorOf(image.manifest), annotations: { [REF_NAME]: tag } }];
  manifests.sort((a, b) => byCodeUnit(a.annotations?.[REF_NAME] ?? '', b.annotations?.[REF_NAME] ?? ''));
  await replaceFile(join(directory, 'oci-layout'), Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  const index = { schemaVersion: 2, mediaType: MediaType.ociIndex, manifests };
  await replaceFile(join(directory, 'index.json'), Buffer.from(JSON.stringify(index)));
  return image.manifest.digest;
}

async function heldManifests(directory: string): Promise<z.infer<typeof Entry>[]> {
  const text = await readFile(join(directory, 'index.json'), 'utf8').catch(absent);
  if (text === undefined) return [];
  const index = Index.safeParse(parseJson(text)).data;
  if (index !== undefined) return index.manifests;
  throw new RegistryError(
    'Malformed',
    directory,
    `${join(directory, 'index.json')} is not an OCI index: remove it first`,
  );
}

/** A killed process leaves the old file or the new one, never half of it. */
async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, bytes);
  await rename(temporary, path);
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return;
  throw error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Images in OCI layout directories, read with the same checks and bounds as those of a registry. */
export class OciLayoutClient extends RegistryClient {
  readonly #limits: RegistryLimits;

  constructor(options: Readonly<{ limits?: Partial<RegistryLimits> }> = {}) {
    super();
    this.#limits = { ...defaultRegistryLimits, ...options.limits };
  }

  /** Every user that may read the directory may read the image. */
  override access(reference: string): string {
    return reference;
  }

  override async resolve(reference: string): Promise<Digest> {
    return (await new Layout(reference, this.#limits).named()).digest;
  }

  override async pull(reference: string, foldersOf: FoldersOf, { readFiles }: PullOptions = {}): Promise<PulledImage> {
    return this.#puller(reference, readFiles && { readFiles }).pull(foldersOf);
  }

  override async pullTo(reference: string, directory: string, folderOf: FolderOf): Promise<UnpackedImage> {
    return this.#puller(reference).pullTo(directory, folderOf);
  }

  #puller(reference: string, guard: PullGuard = {}): ImagePuller {
    const layout = new Layout(reference, this.#limits);
    return new ImagePuller(layout, this.#limits, hostArchitecture(), layout.refuse, guard);
  }
}

class Layout implements ImageSource {
  readonly refuse: Refuse;
  /** A disk does not try again. */
  readonly standstillMs: number;
  readonly #reference: LayoutReference;

  constructor(
    text: string,
    private readonly limits: RegistryLimits,
  ) {
    this.standstillMs = limits.stallMs;
    this.#reference = parseLayoutReference(text) ?? { text, directory: text };
    this.refuse = (failure, message) => new RegistryError(failure, text, `image ${text}: ${message}`);
  }

  readonly named = async (): Promise<FoundManifest> => {
    const { directory, tag } = this.#reference;
    const path = join(directory, 'index.json');
    const bytes = await this.#read(path, this.limits.documentBytes);
    if (bytes === undefined) throw this.refuse('NotFound', `there is no ${path}: is this an OCI layout?`);
    const index = Index.safeParse(parseJson(Buffer.from(bytes).toString('utf8'))).data;
    if (index === undefined) throw this.refuse('Malformed', `${path} is not an OCI image index`);
    const tagOf = (entry: z.infer<typeof Entry>) => entry.annotations?.[REF_NAME] ?? '';
    const found = tag === undefined ? index.manifests : index.manifests.filter((entry) => tagOf(entry) === tag);
    const tags = index.manifests.map(tagOf).filter((name) => name !== '');
    const [only, second] = found;
    if (only !== undefined && second === undefined) return this.manifest(only.digest, only.mediaType);
    const why = only === undefined ? `no image has the tag "${tag ?? ''}"` : 'it holds several images: name a tag';
    throw this.refuse('NotFound', `${why}; tags: ${tags.slice(0, 20).join(', ') || 'none'}`);
  };

  readonly manifest = async (digest: Digest, contentType = 'an unnamed media type'): Promise<FoundManifest> => ({
    digest,
    document: { bytes: await this.#blob(digest, this.limits.documentBytes), contentType },
  });

  /** Streamed: memory does not grow with the layer. */
  readonly blob = async <T>(blob: Descriptor, consume: Consume<T>): Promise<T> => {
    const path = this.#path(blob.digest);
    await this.#checkRegular(path);
    const file = await open(path).catch(absent);
    if (file === undefined) throw this.#missing(partName(blob));
    const chunks: AsyncIterable<Uint8Array> = file.createReadStream();
    return readVerified(blob, chunks[Symbol.asyncIterator](), consume, this.refuse);
  };

  async #blob(digest: Digest, limit: number): Promise<Uint8Array> {
    const path = this.#path(digest);
    const bytes = await this.#read(path, limit);
    if (bytes === undefined) throw this.#missing(`manifest ${digest}`);
    const actual = digestOf(bytes);
    if (actual === digest) return bytes;
    throw this.refuse('DigestMismatch', `the layout's file of ${digest} has digest ${actual}: build it again`);
  }

  #missing = (part: string): RegistryError =>
    this.refuse('Incomplete', `${part} is missing: the layout has no file of it: build or copy it again`);

  #path(digest: Digest): string {
    return join(this.#reference.directory, 'blobs', 'sha256', digest.slice('sha256:'.length));
  }

  /** A pipe would be waited for without end. */
  async #checkRegular(path: string): Promise<void> {
    const found = await stat(path).catch(absent);
    if (found !== undefined && !found.isFile()) throw this.refuse('Malformed', `${path} is not a regular file`);
  }

  async #read(path: string, limit: number): Promise<Uint8Array | undefined> {
    const found = await stat(path).catch(absent);
    if (found === undefined) return undefined;
    await this.#checkRegular(path);
    if (found.size > limit) throw this.refuse('TooLarge', `${path} has ${found.size} bytes; the limit is ${limit}`);
    return readFile(path);
  }
}
