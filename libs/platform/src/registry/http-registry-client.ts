import { createHash } from 'node:crypto';
import { arch } from 'node:process';
import type { ContentStore, Digest } from '../store/content-store.port.js';
import { BlobSource, collected } from './blob-source.js';
import {
  chooseManifest,
  type ImageManifest,
  labelsOf,
  type ManifestDocument,
  parseManifest,
} from './image-manifest.js';
import { atDigest, isDigest, manifestName, parseImageReference } from './image-reference.js';
import { ImageTree } from './image-tree.js';
import { Allowance, readLayer, type Wanted } from './layer-reader.js';
import { acceptedManifests, layerCompression } from './media-types.js';
import { type PulledImage, type PullOptions, RegistryClient } from './registry-client.port.js';
import { defaultRegistryLimits, type RegistryLimits } from './registry-limits.js';
import { RegistryTransport, type Session } from './registry-transport.js';

export type RegistryClientOptions = Readonly<{
  limits?: Partial<RegistryLimits>;
  /** Hosts (with port) spoken to in plain HTTP, besides loopback. */
  plainHttpHosts?: readonly string[];
  /** Where blobs are kept by digest, so that none is pulled twice. */
  store?: ContentStore;
  /** Go's name of the architecture to prefer in an image index; this machine's by default. */
  architecture?: string;
}>;

const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
/** Rounds of reading layers again for files that wanted links point to. */
const MAX_LINK_ROUNDS = 4;

type FoundImage = Readonly<{ resolved: Digest; digest: Digest; manifest: ImageManifest }>;

/** The OCI distribution protocol over HTTP(S): pulls images into memory, checked and bounded. */
export class HttpRegistryClient extends RegistryClient {
  readonly limits: RegistryLimits;
  readonly transport: RegistryTransport;
  readonly #blobs: BlobSource;
  readonly #architecture: string;

  constructor(options: RegistryClientOptions = {}) {
    super();
    this.limits = { ...defaultRegistryLimits, ...options.limits };
    this.transport = new RegistryTransport({
      limits: this.limits,
      plainHttpHosts: new Set(options.plainHttpHosts),
    });
    this.#blobs = new BlobSource(this.transport, options.store);
    this.#architecture = options.architecture ?? GO_ARCHITECTURES[arch] ?? arch;
  }

  override async resolve(reference: string, options: PullOptions = {}): Promise<Digest> {
    return this.transport.session(parseImageReference(reference), options, 'pull', (session) => this.#head(session));
  }

  async #head(session: Session): Promise<Digest> {
    const url = this.transport.url(session.reference, `manifests/${manifestName(session.reference)}`);
    const request = { method: 'HEAD', headers: { accept: acceptedManifests } } as const;
    const response = await this.transport.send(session, url, request);
    const digest = response.headers.get('docker-content-digest') ?? '';
    if (isDigest(digest)) return digest;
    return (await this.#manifest(session, manifestName(session.reference))).digest;
  }

  override async pull(
    reference: string,
    keep: (path: string, labels: Readonly<Record<string, string>>) => boolean,
    options: PullOptions = {},
  ): Promise<PulledImage> {
    return this.transport.session(parseImageReference(reference), options, 'pull', async (session) => {
      const { manifest, digest, resolved } = await this.#image(session);
      const config = this.#bounded(session, manifest.config);
      const labels = labelsOf(await this.#blobs.read(session, config, collected), session.refuse);
      keep('', labels); // Labels that make the image useless are found before any layer is pulled.
      const files = await this.#files(session, manifest, (path) => keep(path, labels));
      return { digest, resolved, labels, files };
    });
  }

  async #image(session: Session): Promise<FoundImage> {
    const first = await this.#manifest(session, manifestName(session.reference));
    let { digest, document } = first;
    for (let depth = 0; depth < 3; depth++) {
      const parsed = parseManifest(document, session.refuse);
      if ('manifest' in parsed) return { resolved: first.digest, digest, manifest: parsed.manifest };
      const chosen = chooseManifest(parsed.index, this.#architecture, session.refuse);
      ({ digest, document } = await this.#manifest(session, chosen.digest));
    }
    throw session.refuse('Unsupported', 'image indexes are nested too deeply');
  }

  /** A manifest's bytes, checked against the digest by which it was asked for, or the one that the registry claims. */
  async #manifest(session: Session, name: string): Promise<{ digest: Digest; document: ManifestDocument }> {
    const url = this.transport.url(session.reference, `manifests/${name}`);
    const request = { headers: { accept: acceptedManifests } };
    const { headers, bytes } = await this.transport.document(session, url, request, this.limits.documentBytes);
    const digest: Digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const expected = isDigest(name) ? name : headers.get('docker-content-digest');
    if (expected !== null && expected !== digest) {
      throw session.refuse(
        'DigestMismatch',
        `the registry sent a manifest with digest ${digest} where ${expected} was named: push the image again`,
      );
    }
    const contentType = headers.get('content-type')?.split(';')[0]?.trim() ?? 'an unnamed media type';
    return { digest, document: { bytes, contentType } };
  }

  #bounded(session: Session, config: ImageManifest['config']) {
    const { documentBytes } = this.limits;
    if (config.size <= documentBytes) return config;
    throw session.refuse('TooLarge', `the image config has ${config.size} bytes; the limit is ${documentBytes}`);
  }

  async #files(session: Session, manifest: ImageManifest, wanted: Wanted): Promise<PulledImage['files']> {
    this.#checkLayers(session, manifest);
    const linked = new Set<string>();
    for (let round = 0; round < MAX_LINK_ROUNDS; round++) {
      const tree = await this.#tree(session, manifest, (path) => wanted(path) || linked.has(path));
      const { files, missing } = tree.files(wanted);
      if (missing.length === 0) return files;
      for (const path of missing) linked.add(path);
    }
    throw session.refuse('Malformed', 'files of the image link to each other in too many steps');
  }

  #checkLayers(session: Session, { layers }: ImageManifest): void {
    if (layers.length > this.limits.layers) {
      throw session.refuse('TooLarge', `the image has ${layers.length} layers; the limit is ${this.limits.layers}`);
    }
    const total = layers.reduce((sum, { size }) => sum + size, 0);
    if (total > this.limits.compressedBytes) {
      throw session.refuse(
        'TooLarge',
        `the image's layers have ${total} bytes; the limit is ${this.limits.compressedBytes}`,
      );
    }
    const unknown = layers.find(({ mediaType }) => layerCompression(mediaType) === undefined);
    if (unknown === undefined) return;
    throw session.refuse(
      'Unsupported',
      `layer ${unknown.digest} has media type "${unknown.mediaType}": layers must be tar, tar+gzip or tar+zstd`,
    );
  }

  async #tree(session: Session, manifest: ImageManifest, wanted: Wanted): Promise<ImageTree> {
    const tree = new ImageTree(session.refuse);
    const allowance = new Allowance(this.limits, session.refuse);
    for (const layer of manifest.layers) {
      const compression = layerCompression(layer.mediaType) ?? 'none';
      const consume = (bytes: ReadableStream<Uint8Array>) => readLayer(bytes, compression, wanted, allowance);
      tree.apply(await this.#blobs.read(session, layer, consume));
    }
    return tree;
  }
}

/** As {@link HttpRegistryClient}, with blobs kept in a content store: each is pulled once. */
export class CachedRegistryClient extends HttpRegistryClient {
  constructor(store: ContentStore, options: Omit<RegistryClientOptions, 'store'> = {}) {
    super({ ...options, store });
  }
}

/** The reference by digest of what was pulled: names the same content for ever. */
export const pinned = (reference: string, digest: Digest): string =>
  atDigest(parseImageReference(reference), digest).text;
