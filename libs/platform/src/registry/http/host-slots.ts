/** How many things may be under way at one registry host at a time. */
type SlotCounts = Readonly<{
  /** Blobs that are being sent. */
  transfers: number;
  /** Small requests: manifests, tokens, steps of an upload. */
  requests: number;
}>;

/**
 * A queue for each registry host, first come first served: a registry that hangs keeps only its own callers
 * waiting. A transfer needs no request slot, so the two kinds never wait for each other.
 */
export class HostSlots {
  readonly #queues = new Map<string, Queue>();

  constructor(private readonly counts: SlotCounts) {}

  request<T>(host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#within('requests', host, signal, work);
  }

  transfer<T>(host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#within('transfers', host, signal, work);
  }

  async #within<T>(kind: keyof SlotCounts, host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const key = `${kind} ${host}`;
    const queue = this.#queues.get(key) ?? new Queue(this.counts[kind]);
    this.#queues.set(key, queue);
    await queue.enter(signal);
    try {
      return await work();
    } finally {
      queue.leave();
      if (queue.idle) this.#queues.delete(key);
    }
  }
}

class Queue {
  #taken = 0;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly slots: number) {}

  get idle(): boolean {
    return this.#taken === 0 && this.#waiting.size === 0;
  }

  /** Resolves when a slot is the caller's; rejects with the signal's reason when it aborts before. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#taken < this.slots) {
      this.#taken++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', gone);
        resolve();
      };
      const gone = () => {
        this.#waiting.delete(turn);
        reject(signal.reason);
      };
      this.#waiting.add(turn);
      signal.addEventListener('abort', gone, { once: true });
    });
  }

  /** Hands the slot to the caller that waits longest. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
