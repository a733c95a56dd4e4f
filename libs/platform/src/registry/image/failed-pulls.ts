import { failedContentDelay } from '#core/classic/catalog-source/catalog-pace';
import { RegistryError, type RegistryFailure } from '../client/registry-client.port.js';
import type { EndedImages, LastingImage } from './ended-images.js';
import { ReaderEnded } from './layers/layers-reader.port.js';

/**
 * Faults in the bytes themselves: the same digest brings the same again. If the bytes have another digest
 * than requested (a transfer that was cut short, a damaged cache), the next try may bring others.
 */
const OF_CONTENT: ReadonlySet<RegistryFailure> = new Set(['TooLarge', 'UnsafePath', 'Unsupported', 'Malformed']);
/** Images that are remembered; beyond it the oldest go. */
const MOST = 10_000;

type Failed = Readonly<{ error: Error; failures: number; until: number }>;

/**
 * Pulls that failed because of their content, by image digest and access key: an image that takes
 * minutes to refuse is not pulled again at each retry. In memory: a restarted process, perhaps with
 * other limits, tries again. Images that ended their threads are remembered longer, in `ended`.
 */
export class FailedPulls {
  readonly #failed = new Map<string, Failed>();

  constructor(
    private readonly now: () => number = Date.now,
    private readonly isOfContent: (error: Error) => boolean = failedForContent,
    private readonly ended?: EndedImages,
  ) {}

  /**
   * Runs `pull`, unless it failed for its content lately; then its error is thrown again. `lasting`: the
   * image, and the key by which it is remembered if it ends its thread.
   */
  async guard<T>(key: string, pull: () => Promise<T>, lasting?: LastingImage): Promise<T> {
    const ended = lasting && this.ended?.find(lasting.key);
    if (ended !== undefined) throw ended;
    const known = this.#failed.get(key);
    if (known !== undefined && this.now() < known.until) throw known.error;
    try {
      const pulled = await pull();
      this.#failed.delete(key);
      if (lasting !== undefined) this.ended?.forget(lasting.key);
      return pulled;
    } catch (error) {
      const ended = lasting && this.#noteEnded(error, lasting);
      if (ended !== undefined) throw ended;
      if (!(error instanceof Error) || !this.isOfContent(error)) throw error;
      throw this.#remember(key, error, (known?.failures ?? 0) + 1);
    }
  }

  #noteEnded(error: unknown, { key, image }: LastingImage): ReaderEnded | undefined {
    if (!(error instanceof ReaderEnded)) return undefined;
    return error.isNoted ? error : this.ended?.note(key, image, error);
  }

  #remember(key: string, error: Error, failures: number): Error {
    const until = this.now() + failedContentDelay(failures);
    const since = new Date(until).toISOString();
    error.message += `; this digest is not pulled again before ${since}: push another image`;
    this.#failed.delete(key);
    this.#failed.set(key, { error, failures, until });
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > MOST && oldest !== undefined) this.#failed.delete(oldest);
    return error;
  }
}

/** True if a pull failed because of the content. */
const failedForContent = (error: Error): boolean => error instanceof RegistryError && OF_CONTENT.has(error.failure);
