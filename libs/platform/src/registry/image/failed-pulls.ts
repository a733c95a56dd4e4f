import { failedContentDelay } from '#core/classic/catalog-source/catalog-pace';
import { RegistryError, type RegistryFailure } from '../registry-client.port.js';

/**
 * What is wrong with the bytes themselves: the same digest brings the same again. Bytes of another digest
 * than asked for (a transfer that was cut short, a damaged cache) may be others at the next try.
 */
const OF_CONTENT: ReadonlySet<RegistryFailure> = new Set(['TooLarge', 'UnsafePath', 'Unsupported', 'Malformed']);
/** Images that are remembered; beyond it the oldest go. */
const MOST = 10_000;

type Failed = Readonly<{ error: Error; failures: number; until: number }>;

/**
 * Pulls that failed because of their content, by image digest and access key: an image that takes
 * minutes to refuse is not pulled again at each retry. In memory: a restarted process, perhaps with
 * other limits, tries anew.
 */
export class FailedPulls {
  readonly #failed = new Map<string, Failed>();

  constructor(
    private readonly now: () => number = Date.now,
    private readonly isOfContent: (error: Error) => boolean = failedForContent,
  ) {}

  /** Runs `pull`, unless it failed for its content lately; then its error is thrown again. */
  async guard<T>(key: string, pull: () => Promise<T>): Promise<T> {
    const known = this.#failed.get(key);
    if (known !== undefined && this.now() < known.until) throw known.error;
    try {
      const pulled = await pull();
      this.#failed.delete(key);
      return pulled;
    } catch (error) {
      if (!(error instanceof Error) || !this.isOfContent(error)) throw error;
      throw this.#remember(key, error, (known?.failures ?? 0) + 1);
    }
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

/** Whether a pull failed for what was pulled. */
const failedForContent = (error: Error): boolean => error instanceof RegistryError && OF_CONTENT.has(error.failure);
