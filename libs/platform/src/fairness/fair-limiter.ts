import { type Bounds, FairQueue } from '#core/kernel/fairness/fair-queue';
import type { Owner } from '#core/kernel/fairness/owner';
import type { Demand } from './demand.js';

/** The right to do one piece of work now. */
export type Turn = Readonly<{
  /** The owner that is charged for it. */
  owner: Owner;
  /** A second time changes nothing. */
  release: () => void;
}>;

type Ticket = Readonly<{ begin: (turn: Turn) => void }>;

/** Lets work begin in fair turns over clusters and namespaces, within bounds. */
export class FairLimiter {
  readonly #queue: FairQueue<Ticket>;

  constructor(
    bounds: Bounds,
    /** Called with the waiting time of each piece of work. */
    private readonly onBegun: (seconds: number) => void = () => undefined,
  ) {
    this.#queue = new FairQueue(bounds);
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  get running(): number {
    return this.#queue.running;
  }

  /** Resolves at the turn of one of the owners; rejects when none is left. */
  async enter(demand: Demand): Promise<Turn> {
    demand.signal.throwIfAborted();
    const since = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<Turn>();
    const begin = (turn: Turn) => {
      unfollow();
      resolve(turn);
    };
    const ticket: Ticket = { begin };
    for (const owner of demand.owners()) this.#queue.add(ticket, owner);
    const unfollow = demand.onChange((change, owner) => {
      if (change === 'joined') this.#queue.add(ticket, owner);
      else this.#queue.withdraw(ticket, owner);
      this.#next();
    });
    const gone = () => reject(demand.signal.reason);
    demand.signal.addEventListener('abort', gone, { once: true });
    this.#next();
    try {
      const turn = await promise;
      this.onBegun((performance.now() - since) / 1_000);
      return turn;
    } finally {
      unfollow();
      demand.signal.removeEventListener('abort', gone);
    }
  }

  /** Takes a turn without waiting. Returns undefined if there is none. */
  tryEnter(owner: Owner): Turn | undefined {
    return this.#queue.takeAtOnce(owner) ? this.#turn(owner) : undefined;
  }

  /** Does the work in its turn. */
  async run<T>(demand: Demand, work: (turn: Turn) => Promise<T>): Promise<T> {
    const turn = await this.enter(demand);
    try {
      demand.signal.throwIfAborted();
      return await work(turn);
    } finally {
      turn.release();
    }
  }

  #next(): void {
    for (let taken = this.#queue.take(); taken !== undefined; taken = this.#queue.take()) {
      taken.item.begin(this.#turn(taken.owner));
    }
  }

  #turn(owner: Owner): Turn {
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      this.#queue.release(owner);
      this.#next();
    };
    return { owner, release };
  }
}
