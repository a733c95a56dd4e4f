import { LRUCache } from 'lru-cache';
import type { BundleFile } from '#core/catalog/model/bundle-file';

/** The parts of an image that follow from its digest: its labels and the files that are wanted. */
export type ReadImage = Readonly<{ labels: Readonly<Record<string, string>>; files: readonly BundleFile[] }>;

type RecentImagesOptions = Readonly<{
  /** Bytes for files, paths and labels of all images. */
  maxBytes: number;
  /** How long an image is kept after its last use. */
  keptMs: number;
}>;

/**
 * Images that were read a short while ago, in memory: the clusters of a fleet install the same bundle one
 * after the other. The key is made of access key and digest, so one login's images are not given to another
 * (decision 0137). Only pulls that want the same files share an image. Beyond the bytes the least
 * recently used go.
 */
export class RecentImages {
  readonly #kept: LRUCache<string, ReadImage>;

  constructor({ maxBytes, keptMs }: RecentImagesOptions) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (image, key) => key.length + bytesOf(image),
      ttl: keptMs,
      ttlAutopurge: true,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now: () => performance.timeOrigin + performance.now() },
    });
  }

  /** How many are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** Returns the image. Reads it if it is not kept. The caller has made sure that the login may have it. */
  async of(key: string, read: () => Promise<ReadImage>): Promise<ReadImage> {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const image = await read();
    this.#kept.set(key, image);
    return image;
  }
}

/** Labels count: an image without files may have long ones. */
const bytesOf = ({ labels, files }: ReadImage): number =>
  Object.entries(labels).reduce((sum, [name, value]) => sum + name.length + value.length, 0) +
  files.reduce((sum, { path, bytes }) => sum + path.length + bytes.length, 0);
