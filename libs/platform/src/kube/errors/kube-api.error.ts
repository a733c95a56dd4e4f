import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/**
 * The API server refused, or could not be reached (`status` 0). `reason` is Kubernetes' own
 * word (NotFound, Conflict …).
 */
export class KubeApiError extends FlotillaError {
  readonly code = 'KubeApiError';
  readonly retry: Retry = 'backoff';
  constructor(
    readonly cluster: string,
    readonly status: number,
    readonly reason: string,
    message: string,
    readonly causes: readonly string[] = [],
    /**
     * The server's own words alone, as conditions quote them; `message` also names the cluster and the
     * request.
     */
    readonly said: string = message,
  ) {
    super(message);
  }
  /** True if the API server answered, even if the answer exceeds the limit. */
  get answered(): boolean {
    return this.status !== 0 || this.reason === 'ResponseTooLarge' || this.reason === 'TooLarge';
  }
  /** The same refusal, with more to say about it. */
  adding(text: string): KubeApiError {
    const { cluster, status, reason, causes } = this;
    return new KubeApiError(cluster, status, reason, `${this.message}; ${text}`, causes, `${this.said}; ${text}`);
  }
  static is(error: unknown, ...reasons: string[]): error is KubeApiError {
    return error instanceof KubeApiError && (reasons.length === 0 || reasons.includes(error.reason));
  }
}

/** The API server refused a create because the namespace is being deleted (`NamespaceTerminating`). */
export const isTerminatingNamespace = (error: unknown): boolean =>
  KubeApiError.is(error, 'Forbidden') && /because it is being terminated$/.test(error.said);
