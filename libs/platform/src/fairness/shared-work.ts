import { Demand, unlessAborted } from './demand.js';

type Running<T> = Readonly<{ demand: Demand; answer: Promise<T> }>;

/**
 * Work that several ask for at the same time: carried out once for all of them, and ended when none is left.
 */
export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>();

  async run(key: string, demand: Demand, work: (demand: Demand) => Promise<T>): Promise<T> {
    demand.signal.throwIfAborted();
    const known = this.#running.get(key);
    const { running, leave } =
      known === undefined || known.demand.signal.aborted
        ? this.#begin(key, demand, work)
        : { running: known, leave: known.demand.follow(demand) };
    try {
      return await unlessAborted(running.answer, demand.signal);
    } finally {
      leave();
    }
  }

  #begin(key: string, first: Demand, work: (demand: Demand) => Promise<T>) {
    const demand = new Demand();
    const leave = demand.follow(first);
    const running = { demand, answer: work(demand) };
    this.#running.set(key, running);
    const forget = () => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    };
    running.answer.then(forget, forget);
    return { running, leave };
  }
}
