/**
 * Ends a request before its answer: at its deadline, by its caller, or at the end of the transport.
 * `release` removes timer and listeners once the answer has arrived.
 */
export class RequestEnd {
  #timer: NodeJS.Timeout | undefined;
  readonly #onCaller = () => this.abort(this.callers.find(({ aborted }) => aborted)?.reason);
  /**
   * Undefined once the answer has begun, to save memory: a signal takes a kilobyte for each open watch.
   */
  #ending: AbortController | undefined = new AbortController();
  #cancel: ((reason: unknown) => void) | undefined;
  #expired = false;

  constructor(
    deadlineMs: number,
    private readonly callers: readonly AbortSignal[],
    /** All requests that run: the transport ends them when it is closed. */
    private readonly running: Set<RequestEnd>,
  ) {
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    }, deadlineMs).unref();
    for (const caller of callers) {
      if (caller.aborted) this.abort(caller.reason);
      else caller.addEventListener('abort', this.#onCaller, { once: true });
    }
    running.add(this);
  }

  /** The signal that ends the request, until the answer has begun. */
  get signal(): AbortSignal {
    return this.#ending?.signal ?? AbortSignal.abort();
  }

  /** True if the deadline has passed. */
  get expired(): boolean {
    return this.#expired;
  }

  abort(reason: unknown): void {
    this.#ending?.abort(reason);
    this.#cancel?.(reason);
  }

  /** Notes that the answer has begun: only the caller and the transport now end the rest, by `cancel`. */
  begun(cancel: (reason: unknown) => void): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ending = this.#ending;
    this.#ending = undefined;
    this.#cancel = cancel;
    if (ending?.signal.aborted) cancel(ending.signal.reason);
  }

  release(): void {
    clearTimeout(this.#timer);
    for (const caller of this.callers) caller.removeEventListener('abort', this.#onCaller);
    this.running.delete(this);
  }
}
