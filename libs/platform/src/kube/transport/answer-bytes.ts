import { receivingMs } from '#core/kernel/read-budget/work-pace';

/** Answers up to this length never rest: reads and writes of passes must not wait for the cluster's lists. */
const SHORT_ANSWER = 256 * 1024;

/** The part of one answer in the bytes that are being read. */
export type AnswerLease = Readonly<{
  /** Notes more bytes of the answer. Resolves when more may be read. Returns undefined if that is at once. */
  grow: (bytes: number, signal?: AbortSignal) => Promise<void> | undefined;
  /** The answer was read, or given up. */
  release: () => void;
}>;

/**
 * The bytes of one cluster's answers that are being read at a time. While they are more than `most`, only
 * the oldest answer is read on and the others wait, so that large answers are read one after the other and
 * small ones side by side.
 */
export class AnswerBytes {
  readonly #leases = new Map<object, number>();
  #sum = 0;
  #waiting: (() => void)[] = [];

  constructor(
    private readonly most: number,
    /** Resolves when the cluster has rested for so many milliseconds of work. */
    private readonly rest: (workMs: number) => Promise<void> | undefined = () => undefined,
  ) {}

  /** Bytes of all answers that are being read. */
  get sum(): number {
    return this.#sum;
  }

  lease(): AnswerLease {
    const holder = {};
    this.#leases.set(holder, 0);
    return {
      grow: (bytes, signal) => {
        const before = this.#leases.get(holder);
        if (before === undefined) return undefined;
        this.#leases.set(holder, before + bytes);
        this.#sum += bytes;
        const isLong = before + bytes > SHORT_ANSWER;
        return isLong || this.#mustWait(holder) ? this.#room(holder, bytes, signal) : undefined;
      },
      release: () => {
        this.#sum -= this.#leases.get(holder) ?? 0;
        this.#leases.delete(holder);
        for (const wake of this.#waiting.splice(0)) wake();
      },
    };
  }

  async #room(holder: object, bytes: number, signal: AbortSignal | undefined): Promise<void> {
    while (this.#mustWait(holder)) await this.#change(signal);
    const isLong = (this.#leases.get(holder) ?? 0) > SHORT_ANSWER;
    if (isLong) await unlessAborted(this.rest(receivingMs(bytes)), signal);
  }

  /** Holders stand in the order of their beginning; one that has read nothing yet holds up no other. */
  #mustWait(holder: object): boolean {
    if (this.#sum <= this.most || !this.#leases.has(holder)) return false;
    for (const [other, bytes] of this.#leases) if (bytes > 0) return other !== holder;
    return false;
  }

  #change(signal: AbortSignal | undefined): Promise<void> {
    return unlessAborted(new Promise((resolve) => this.#waiting.push(resolve)), signal);
  }
}

/** Fails as soon as the signal is aborted. */
function unlessAborted(wait: Promise<void> | undefined, signal: AbortSignal | undefined): Promise<void> {
  if (wait === undefined || signal === undefined) return wait ?? Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    void wait.then(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
  });
}
