import { arch } from 'node:process';
import type { Digest } from '../../store/content-store.port.js';
import {
  type PulledImage,
  type PullOptions,
  type ReadFiles,
  RegistryError,
  type UnpackedImage,
} from '../registry-client.port.js';
import type { RegistryLimits } from '../registry-limits.js';
import { collected } from './blob-source.js';
import { type FileSink, memorySink } from './file-sink.js';
import {
  chooseManifest,
  type Descriptor,
  type ImageManifest,
  labelsOf,
  type ManifestDocument,
  parseManifest,
  partName,
  type Refuse,
} from './image-manifest.js';
import { ImageTree, type LayerEntry, type TreeFile, treeBounds } from './image-tree.js';
import { Allowance, type IsWanted, type Reading, readLayer } from './layer-reader.js';
import { isForeignLayer, isLayer } from './media-types.js';
import type { ReadImage } from './recent-images.js';
import { PullStandstill, unlessItStandsStill } from './standstill.js';
import { UnpackDirectory } from './unpack-directory.js';
import type { Consume } from './verified-blob.js';

export type FoundManifest = Readonly<{ digest: Digest; document: ManifestDocument }>;

/** Where an image comes from: a registry, or a directory. Both check what they give against its digest. */
export type ImageSource = Readonly<{
  /** What the reference names. */
  named: () => Promise<FoundManifest>;
  manifest: (digest: Digest) => Promise<FoundManifest>;
  blob: <T>(blob: Descriptor, consume: Consume<T>) => Promise<T>;
  /**
   * After how many milliseconds without progress a layer stands still; of a registry, which tries again, by
   * default.
   */
  standstillMs?: number;
}>;

export type Keep = (path: string, labels: Readonly<Record<string, string>>) => boolean;
/** As {@link Keep}, and where a wanted file goes; undefined for what is not wanted. */
export type PlaceOf = (path: string, labels: Readonly<Record<string, string>>) => string | undefined;

const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
/** Go's name of this machine's architecture, as image indexes write it. */
export const hostArchitecture = (): string => GO_ARCHITECTURES[arch] ?? arch;

const WANTED = 'the files to read';
/** Rounds of reading layers again for files that wanted links point to. */
const MAX_LINK_ROUNDS = 4;
/** An index may name another index, but not without end. */
const MAX_INDEX_DEPTH = 3;

/** The manifest of an image: what is known before its config and a layer are pulled. */
type Found = Readonly<{ digest: Digest; resolved: Digest; manifest: ImageManifest }>;

/** Around a pull: whether it is still wanted, and what is known of the same image from an earlier one. */
export type PullGuard = Readonly<{
  signal?: AbortSignal;
  /** Called with bytes before they are written to disk, below 0 when they are gone again. */
  onDisk?: (bytes: number) => void;
  /** Reads the layers of the image of that digest, unless they are known to be of no use. */
  layers?: <T>(digest: Digest, read: () => Promise<T>) => Promise<T>;
  /** Reads the image of that digest into memory, unless it is there already. */
  readFiles?: PullOptions['readFiles'];
  recent?: ((digest: Digest, read: () => Promise<ReadImage>) => Promise<ReadImage>) | undefined;
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

  async pull(keep: Keep): Promise<PulledImage> {
    const { manifest, ...found } = await this.#find();
    const read = () => this.#read(found.digest, manifest, keep);
    const { labels, files } = await (this.guard.recent?.(found.digest, read) ?? read());
    return { ...found, labels, files };
  }

  async #read(digest: Digest, manifest: ImageManifest, keep: Keep): Promise<ReadImage> {
    const labels = await this.#labels(manifest);
    keep('', labels); // Labels that make the image useless are found before any layer is pulled.
    const read: ReadFiles = async (wanted, what) => {
      const files = await this.#files(manifest, wanted, memorySink, what);
      return files.map(({ path, content }) => ({ path, bytes: content }));
    };
    const { readFiles = () => read((path) => keep(path, labels), WANTED) } = this.guard;
    return { labels, files: await this.#guarded(digest, () => readFiles(labels, read)) };
  }

  async pullTo(directory: string, placeOf: PlaceOf): Promise<UnpackedImage> {
    const { manifest, ...found } = await this.#find();
    const labels = await this.#labels(manifest);
    placeOf('', labels);
    const unpacked = await this.#guarded(found.digest, () =>
      new UnpackDirectory(directory, this.guard.onDisk).fill(
        (sink) => this.#files(manifest, (path) => placeOf(path, labels) !== undefined, sink),
        (path) => placeOf(path, labels) ?? path,
      ),
    );
    return { ...found, labels, ...unpacked };
  }

  #guarded<T>(digest: Digest, read: () => Promise<T>): Promise<T> {
    return this.guard.layers === undefined ? read() : this.guard.layers(digest, read);
  }

  async #find(): Promise<Found> {
    const named = await this.source.named();
    const { digest, manifest } = await this.#imageOf(named);
    return { digest, resolved: named.digest, manifest };
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

  async #files<C>(
    manifest: ImageManifest,
    wanted: IsWanted,
    sink: FileSink<C>,
    what = WANTED,
  ): Promise<readonly TreeFile<C>[]> {
    this.#checkLayers(manifest);
    const linked = new Set<string>();
    for (let round = 0; round < MAX_LINK_ROUNDS; round++) {
      const allowance = new Allowance(this.limits, this.refuse, this.guard.signal, what);
      const tree = await this.#tree(manifest, { wanted: (path) => wanted(path) || linked.has(path), sink, allowance });
      const { files, missing } = tree.files(wanted);
      if (missing.length === 0) {
        allowance.checkNamed(files);
        return files;
      }
      await sink.clear();
      for (const path of missing) linked.add(path);
    }
    throw this.refuse('Malformed', 'files of the image link to each other in too many steps');
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

  async #tree<C>({ layers }: ImageManifest, reading: Reading<C>): Promise<ImageTree<C>> {
    const tree = new ImageTree<C>(this.refuse, treeBounds(this.limits.entries));
    for (const layer of layers) tree.apply(await this.#layer(layer, reading));
    return tree;
  }

  /** Reads one layer. A registry need not have those that may not be distributed. */
  async #layer<C>(layer: Descriptor, reading: Reading<C>): Promise<readonly LayerEntry<C>[]> {
    const name = partName(layer);
    try {
      return await this.source.blob(layer, (bytes) => this.#readWatched(bytes, name, reading));
    } catch (error) {
      if (!isForeignLayer(layer.mediaType) || !(error instanceof RegistryError) || error.failure !== 'Incomplete')
        throw error;
      throw this.refuse(
        'Incomplete',
        `${name} may not be distributed, and the registry does not have it: push the image with its foreign layers`,
      );
    }
  }

  #readWatched<C>(bytes: AsyncIterable<Uint8Array>, name: string, reading: Reading<C>): Promise<LayerEntry<C>[]> {
    const limitMs = this.source.standstillMs ?? standstillMs(this.limits);
    const { reference, message } = this.refuse(
      'Unreachable',
      `${name} stands still: nothing was read or unpacked for ${limitMs / 1_000} s. Check the registry and the disk`,
    );
    const error = () => new PullStandstill(reference, message);
    return unlessItStandsStill({ bytes, read: (noted) => readLayer(noted, name, reading), limitMs, error });
  }
}

/** Longer than a registry may take for all its tries of one request, with the longest pauses between them. */
const standstillMs = ({ attempts, requestMs, stallMs }: RegistryLimits): number =>
  attempts * (requestMs + stallMs + LONGEST_PAUSE_MS);
const LONGEST_PAUSE_MS = 30_000;
