import { arch } from 'node:process';
import type { Digest } from '../../content/content-store.port.js';
import {
  chooseManifest,
  type Descriptor,
  type ImageManifest,
  labelsOf,
  type ManifestDocument,
  parseManifest,
  partName,
  type Refuse,
} from '../client/image-manifest.js';
import { isForeignLayer, isLayer } from '../client/media-types.js';
import type { ReadImage } from '../client/recent-images.js';
import {
  type FolderOf,
  type FoldersOf,
  type PulledImage,
  type PullOptions,
  type ReadFiles,
  RegistryError,
  type UnpackedImage,
} from '../client/registry-client.port.js';
import type { RegistryLimits } from '../client/registry-limits.js';
import { collected } from './blob-source.js';
import { defaultLayers } from './layers/default-layers.js';
import type { LayersGuard, LayersReader, LayersRequest, OpenLayer } from './layers/layers-reader.port.js';
import { partialOf } from './layers/unpack-directory.js';
import { PullStandstill, unlessItStandsStill } from './standstill.js';
import type { Consume } from './verified-blob.js';

export type FoundManifest = Readonly<{ digest: Digest; document: ManifestDocument }>;

/** The source of an image: a registry, or a directory. Both check the content against its digest. */
export type ImageSource = Readonly<{
  /** Returns the manifest that the reference names. */
  named: () => Promise<FoundManifest>;
  manifest: (digest: Digest) => Promise<FoundManifest>;
  blob: <T>(blob: Descriptor, consume: Consume<T>) => Promise<T>;
  /**
   * Milliseconds without progress after which a layer counts as stuck. Default: the value for a registry,
   * since it tries again.
   */
  standstillMs?: number;
}>;

const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
/** Go's name of this machine's architecture, as image indexes write it. */
export const hostArchitecture = (): string => GO_ARCHITECTURES[arch] ?? arch;

const WANTED = 'the files to read';
/** An index may name another index, but not without end. */
const MAX_INDEX_DEPTH = 3;

/** The manifest of an image: the facts known before its config and a layer are pulled. */
type Found = Readonly<{ digest: Digest; resolved: Digest; manifest: ImageManifest }>;

/** Checks around a pull: if it is still wanted, and the results of an earlier pull of the same image. */
export type PullGuard = Readonly<{
  signal?: AbortSignal;
  /** Called with bytes before they are written to disk, below 0 when they are gone again. */
  onDisk?: (bytes: number) => void;
  /** Reads the layers of the image of that digest, unless they are known to be unusable. */
  layers?: <T>(digest: Digest, read: () => Promise<T>) => Promise<T>;
  /** Reads the image of that digest into memory, unless it is there already. */
  readFiles?: PullOptions['readFiles'];
  /**
   * Refuses an image before a layer is read. `named`: digest of the reference, `digest`: of the platform's
   * image.
   */
  admit?: ((named: Digest, digest: Digest) => Promise<void>) | undefined;
  recent?: ((digest: Digest, read: () => Promise<ReadImage>) => Promise<ReadImage>) | undefined;
  /** Unpacks layers; by default in threads. */
  reader?: LayersReader;
}>;

/** Turns an image into files, in memory or in a directory: platform, labels, layers; everything bounded. */
export class ImagePuller {
  constructor(
    private readonly source: ImageSource,
    private readonly limits: RegistryLimits,
    private readonly architecture: string,
    private readonly refuse: Refuse,
    private readonly guard: PullGuard = {},
  ) {}

  async pull(foldersOf: FoldersOf): Promise<PulledImage> {
    const { manifest, ...found } = await this.#admitted();
    const read = () => this.#read(found.digest, manifest, foldersOf);
    const { labels, files } = await (this.guard.recent?.(found.digest, read) ?? read());
    return { ...found, labels, files };
  }

  async #read(digest: Digest, manifest: ImageManifest, foldersOf: FoldersOf): Promise<ReadImage> {
    const labels = await this.#labels(manifest);
    const folders = foldersOf(labels); // Labels that make the image useless are found before any layer is pulled.
    const read: ReadFiles = (wanted, what) =>
      this.#reader.files(this.#request(manifest, wanted, what), this.#guardOf(manifest));
    const { readFiles = () => read(folders, WANTED) } = this.guard;
    return { labels, files: await this.#guarded(digest, () => readFiles(labels, read)) };
  }

  async pullTo(directory: string, folderOf: FolderOf): Promise<UnpackedImage> {
    const { manifest, ...found } = await this.#admitted();
    const labels = await this.#labels(manifest);
    const request = () => this.#request(manifest, [folder], WANTED);
    const folder = folderOf(labels);
    const target = { directory, partial: partialOf(directory) };
    const unpack = async () => this.#reader.unpack(request(), target, this.#guardOf(manifest));
    return { ...found, labels, ...(await this.#guarded(found.digest, unpack)) };
  }

  get #reader(): LayersReader {
    return this.guard.reader ?? defaultLayers;
  }

  /** Refuses layers that are too many, too large or of another kind. */
  #request(manifest: ImageManifest, folders: readonly string[], what: string): LayersRequest {
    this.#checkLayers(manifest);
    return { layers: manifest.layers.map(partName), folders, what, limits: this.limits };
  }

  #guardOf({ layers }: ImageManifest): LayersGuard {
    const { signal, onDisk } = this.guard;
    const open: OpenLayer = (at, consume) => this.#layer(layers[at], consume);
    return { open, refuse: this.refuse, ...(signal && { signal }), ...(onDisk && { onDisk }) };
  }

  #guarded<T>(digest: Digest, read: () => Promise<T>): Promise<T> {
    return this.guard.layers === undefined ? read() : this.guard.layers(digest, read);
  }

  /** The image that the reference names, admitted or not. */
  async find(): Promise<Found> {
    const named = await this.source.named();
    const { digest, manifest } = await this.#imageOf(named);
    return { digest, resolved: named.digest, manifest };
  }

  async #admitted(): Promise<Found> {
    const found = await this.find();
    await this.guard.admit?.(found.resolved, found.digest);
    return found;
  }

  async #labels({ config }: ImageManifest): Promise<UnpackedImage['labels']> {
    this.#checkConfig(config);
    return labelsOf(await this.source.blob(config, collected), this.refuse);
  }

  async #imageOf(named: FoundManifest): Promise<{ digest: Digest; manifest: ImageManifest }> {
    let { digest, document } = named;
    for (let depth = 0; depth < MAX_INDEX_DEPTH; depth++) {
      const parsed = parseManifest(document, this.refuse);
      if ('manifest' in parsed) return { digest, manifest: parsed.manifest };
      const chosen = chooseManifest(parsed.index, this.architecture, this.refuse);
      ({ digest, document } = await this.source.manifest(chosen.digest));
    }
    throw this.refuse('Unsupported', 'image indexes are nested too deeply');
  }

  #checkConfig({ size }: Descriptor): void {
    const { documentBytes } = this.limits;
    if (size > documentBytes) {
      throw this.refuse('TooLarge', `the image config has ${size} bytes; the limit is ${documentBytes}`);
    }
  }

  #checkLayers({ layers }: ImageManifest): void {
    const { layers: most, compressedBytes } = this.limits;
    if (layers.length > most) {
      throw this.refuse('TooLarge', `the image has ${layers.length} layers; the limit is ${most}`);
    }
    const total = layers.reduce((sum, { size }) => sum + size, 0);
    if (total > compressedBytes) {
      throw this.refuse('TooLarge', `the image's layers have ${total} bytes; the limit is ${compressedBytes}`);
    }
    const unknown = layers.find(({ mediaType }) => !isLayer(mediaType));
    if (unknown === undefined) return;
    throw this.refuse(
      'Unsupported',
      `layer ${unknown.digest} has media type "${unknown.mediaType}": layers must be tar, tar+gzip or tar+zstd`,
    );
  }

  /** Reads one layer. A registry need not have those that may not be distributed. */
  async #layer<T>(layer: Descriptor | undefined, consume: ConsumeLayer<T>): Promise<T> {
    if (layer === undefined) throw new Error('the image has no such layer');
    const name = partName(layer);
    try {
      return await this.source.blob(layer, (bytes) => this.#watched(bytes, name, consume));
    } catch (error) {
      if (!isForeignLayer(layer.mediaType) || !(error instanceof RegistryError) || error.failure !== 'Incomplete')
        throw error;
      throw this.refuse(
        'Incomplete',
        `${name} is a foreign layer and missing in the registry: push the image with its foreign layers`,
      );
    }
  }

  #watched<T>(bytes: AsyncIterable<Uint8Array>, name: string, read: ConsumeLayer<T>): Promise<T> {
    const limitMs = this.source.standstillMs ?? standstillMs(this.limits);
    const { reference, message } = this.refuse(
      'Unreachable',
      `${name} made no progress: nothing was read or unpacked for ${limitMs / 1_000} s. Check the registry and the disk`,
    );
    const error = () => new PullStandstill(reference, message);
    return unlessItStandsStill({ bytes, read, limitMs, error });
  }
}

type ConsumeLayer<T> = (bytes: AsyncIterable<Uint8Array>) => Promise<T>;

/** Longer than a registry may take for all its tries of one request, with the longest pauses between them. */
const standstillMs = ({ attempts, requestMs, stallMs }: RegistryLimits): number =>
  attempts * (requestMs + stallMs + LONGEST_PAUSE_MS);
const LONGEST_PAUSE_MS = 30_000;
