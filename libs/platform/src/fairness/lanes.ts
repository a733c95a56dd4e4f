import type { Demand } from './demand.js';
import type { FairLimiter, Turn } from './fair-limiter.js';

/**
 * A piece of work that has begun. After `end` the result of `done` does not matter. `began`: resolves when
 * the work is under way, if that takes a while; until then no time counts.
 */
export type Run<T> = Readonly<{ done: Promise<T>; end: () => void; began?: Promise<void> }>;

type LaneOptions = Readonly<{
  first: FairLimiter;
  slow: FairLimiter;
  /** Milliseconds after which work leaves the first lane. */
  firstMs: number;
}>;

type RunOptions = Readonly<{
  /** Known to take long: it does not begin in the first lane. */
  slow?: boolean;
  /** The work is about to wait for the slow lane; may throw to give up instead. */
  onSlow?: () => void;
}>;

/**
 * Two lanes: all work begins in the first one, for a short time. Work that needs longer moves to the slow
 * lane if a slot is free. Otherwise it is ended, and restarted when its turn in the slow lane comes. So short
 * work never waits for long work.
 */
export class Lanes {
  constructor(private readonly options: LaneOptions) {}

  async run<T>(demand: Demand, start: () => Run<T>, { slow = false, onSlow }: RunOptions = {}): Promise<T> {
    const { first, slow: slowLane } = this.options;
    const quick = slow ? undefined : await first.run(demand, (turn) => this.#quickly(demand, turn, start));
    if (quick !== undefined) return quick.done;
    onSlow?.();
    return slowLane.run(demand, () => whileWanted(demand, start()).done);
  }

  /** Undefined: it took too long, and was ended. */
  async #quickly<T>(
    demand: Demand,
    turn: Turn,
    start: () => Run<T>,
  ): Promise<Readonly<{ done: Promise<T> }> | undefined> {
    const run = whileWanted(demand, start());
    if (await isDoneWithin(run, this.options.firstMs)) return run;
    const inSlow = this.options.slow.tryEnter(turn.owner);
    if (inSlow === undefined) {
      run.end();
      return undefined;
    }
    // Not awaited here: the turn in the first lane ends now.
    const leave = () => inSlow.release();
    run.done.then(leave, leave);
    return run;
  }
}

function whileWanted<T>({ signal }: Demand, run: Run<T>): Run<T> {
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const end = () => {
    run.end();
    reject(signal.reason);
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  const done = Promise.race([run.done, gone]).finally(() => signal.removeEventListener('abort', end));
  done.catch(() => undefined);
  return { ...run, done };
}

async function isDoneWithin({ done, began }: Run<unknown>, ms: number): Promise<boolean> {
  const ended = done.then(
    () => true,
    () => true,
  );
  if (began !== undefined && (await Promise.race([ended, began.then(() => false)]))) return true;
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
