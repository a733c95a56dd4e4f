/**
 * What ends a request before its answer: its deadline, its caller, or the end of the transport. `release`
 * takes back timer and listeners once the answer is there: a request leaves nothing that fires later.
 */
export class RequestEnd {
  readonly #ending = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #onCaller = () => this.#ending.abort(this.caller?.reason);
  #expired = false;

  constructor(
    deadlineMs: number,
    private readonly caller: AbortSignal | undefined,
    /** All requests that run: the transport ends them when it is closed. */
    private readonly running: Set<RequestEnd>,
  ) {
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#ending.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    }, deadlineMs).unref();
    if (caller?.aborted) this.#onCaller();
    else caller?.addEventListener('abort', this.#onCaller, { once: true });
    running.add(this);
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Whether the deadline has passed. */
  get expired(): boolean {
    return this.#expired;
  }

  abort(reason: unknown): void {
    this.#ending.abort(reason);
  }

  /** The answer has begun: only the caller and the transport end what comes of it. */
  begun(): void {
    clearTimeout(this.#timer);
  }

  release(): void {
    clearTimeout(this.#timer);
    this.caller?.removeEventListener('abort', this.#onCaller);
    this.running.delete(this);
  }
}
