import { arch } from 'node:process';
import type { Digest } from '../../store/content-store.port.js';
import type { PulledImage } from '../registry-client.port.js';
import type { RegistryLimits } from '../registry-limits.js';
import { type Consume, collected } from './blob-source.js';
import {
  chooseManifest,
  type Descriptor,
  type ImageManifest,
  labelsOf,
  type ManifestDocument,
  parseManifest,
  type Refuse,
} from './image-manifest.js';
import { ImageTree } from './image-tree.js';
import { Allowance, readLayer, type Wanted } from './layer-reader.js';
import { layerCompression } from './media-types.js';

export type FoundManifest = Readonly<{ digest: Digest; document: ManifestDocument }>;

/** Where an image comes from: a registry, or a directory. Both check what they give against its digest. */
export type ImageSource = Readonly<{
  /** What the reference names. */
  named: () => Promise<FoundManifest>;
  manifest: (digest: Digest) => Promise<FoundManifest>;
  blob: <T>(blob: Descriptor, consume: Consume<T>) => Promise<T>;
}>;

export type Keep = (path: string, labels: Readonly<Record<string, string>>) => boolean;

const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
/** Go's name of this machine's architecture, as image indexes write it. */
export const hostArchitecture = (): string => GO_ARCHITECTURES[arch] ?? arch;

/** Rounds of reading layers again for files that wanted links point to. */
const MAX_LINK_ROUNDS = 4;
/** An index may name another index, but not without end. */
const MAX_INDEX_DEPTH = 3;

/** Turns an image into files: platform, labels, layers; everything bounded, nothing written to disk. */
export class ImagePuller {
  constructor(
    private readonly source: ImageSource,
    private readonly limits: RegistryLimits,
    private readonly architecture: string,
    private readonly refuse: Refuse,
  ) {}

  async pull(keep: Keep): Promise<PulledImage> {
    const named = await this.source.named();
    const { digest, manifest } = await this.#imageOf(named);
    this.#checkConfig(manifest.config);
    const labels = labelsOf(await this.source.blob(manifest.config, collected), this.refuse);
    keep('', labels); // Labels that make the image useless are found before any layer is pulled.
    const files = await this.#files(manifest, (path) => keep(path, labels));
    return { digest, resolved: named.digest, labels, files };
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

  async #files(manifest: ImageManifest, wanted: Wanted): Promise<PulledImage['files']> {
    this.#checkLayers(manifest);
    const linked = new Set<string>();
    for (let round = 0; round < MAX_LINK_ROUNDS; round++) {
      const tree = await this.#tree(manifest, (path) => wanted(path) || linked.has(path));
      const { files, missing } = tree.files(wanted);
      if (missing.length === 0) return files;
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
    const unknown = layers.find(({ mediaType }) => layerCompression(mediaType) === undefined);
    if (unknown === undefined) return;
    throw this.refuse(
      'Unsupported',
      `layer ${unknown.digest} has media type "${unknown.mediaType}": layers must be tar, tar+gzip or tar+zstd`,
    );
  }

  async #tree({ layers }: ImageManifest, wanted: Wanted): Promise<ImageTree> {
    const tree = new ImageTree(this.refuse);
    const allowance = new Allowance(this.limits, this.refuse);
    for (const layer of layers) {
      const compression = layerCompression(layer.mediaType) ?? 'none';
      tree.apply(await this.source.blob(layer, (bytes) => readLayer(bytes, compression, wanted, allowance)));
    }
    return tree;
  }
}
