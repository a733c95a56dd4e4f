import type { ConnectionNeeds } from './connection-needs.js';
import { TransportError } from './transport.error.js';

const MOST_AT_ONCE = 32;
/** A connection that takes longer waits for its cluster, not for this process. */
const SLOW_MS = 2_000;

/** A request for a connection; `signal` ends its wait. */
export type DialRequest = Readonly<{ needs: Pick<ConnectionNeeds, 'nearest'>; signal: AbortSignal }>;
type Waiting = DialRequest & Readonly<{ begin: () => void }>;

/**
 * Opens connections in turns: the nearest need first, then in the order of arrival. Handshakes take CPU time,
 * and a thousand at once would all take longer than their deadlines. A cluster that does not answer gives its
 * place to the next after two seconds: dead clusters slow the others down and do not stop them.
 */
export class DialTurns {
  readonly #waiting = new Set<Waiting>();
  #taken = 0;

  constructor(
    private readonly mostAtOnce = MOST_AT_ONCE,
    private readonly slowMs = SLOW_MS,
  ) {}

  /** @throws TransportError `closed` if the signal comes before the turn */
  async run<T>(request: DialRequest, dial: () => Promise<T>): Promise<T> {
    await this.#turn(request);
    let held = true;
    const leave = () => {
      if (!held) return;
      held = false;
      this.#taken -= 1;
      this.#next();
    };
    const timer = setTimeout(leave, this.slowMs).unref();
    try {
      return await dial();
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  #turn({ needs, signal }: DialRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(waiting);
        reject(new TransportError('closed', 'the client was closed'));
      };
      const begin = () => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const waiting = { needs, signal, begin };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.add(waiting);
      this.#next();
    });
  }

  #next(): void {
    while (this.#taken < this.mostAtOnce) {
      const next = this.#nearest();
      if (next === undefined) return;
      this.#waiting.delete(next);
      this.#taken += 1;
      next.begin();
    }
  }

  #nearest(): Waiting | undefined {
    let nearest: Waiting | undefined;
    for (const one of this.#waiting)
      if (nearest === undefined || one.needs.nearest < nearest.needs.nearest) nearest = one;
    return nearest;
  }
}

/** The turns of this process. */
export const DIAL_TURNS = new DialTurns();
