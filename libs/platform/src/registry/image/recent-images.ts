import type { BundleFile } from '#core/catalog/model/bundle-file';

/** What an image is made of, as it follows from its digest: its labels and the files that are wanted. */
export type ReadImage = Readonly<{ labels: Readonly<Record<string, string>>; files: readonly BundleFile[] }>;

export type RecentImagesOptions = Readonly<{
  /** For files, paths and labels of all images. */
  maxBytes: number;
  /** How long an image is kept after its last use. */
  keptMs: number;
}>;

type Kept = { readonly image: ReadImage; readonly bytes: number; usedMs: number };

/**
 * Images that were read a short while ago, in memory: the clusters of a fleet install the same bundle one
 * after the other. By access key and digest, so that what one login may have is not given to another
 * (decision record 0137); of pulls that want the same files. Beyond the bytes the least recently used go.
 */
export class RecentImages {
  /** The least recently used first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: RecentImagesOptions) {}

  /** How many are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** The image, read where it is not kept. The caller has made sure that it may be had. */
  async of(key: string, read: () => Promise<ReadImage>): Promise<ReadImage> {
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      known.usedMs = performance.now();
      return known.image;
    }
    const image = await read();
    this.#keep(key, image);
    return image;
  }

  #keep(key: string, image: ReadImage): void {
    const bytes = key.length + bytesOf(image);
    if (bytes > this.options.maxBytes) return;
    this.#drop(key);
    this.#kept.set(key, { image, bytes, usedMs: performance.now() });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.options.maxBytes) break;
      this.#drop(oldest);
    }
    this.#timer ??= setInterval(() => this.#dropUnused(), this.options.keptMs).unref();
  }

  #dropUnused(): void {
    const since = performance.now() - this.options.keptMs;
    for (const [key, { usedMs }] of this.#kept) if (usedMs <= since) this.#drop(key);
    if (this.#kept.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}

/** Labels count: an image without files may have long ones. */
const bytesOf = ({ labels, files }: ReadImage): number =>
  Object.entries(labels).reduce((sum, [name, value]) => sum + name.length + value.length, 0) +
  files.reduce((sum, { path, bytes }) => sum + path.length + bytes.length, 0);
