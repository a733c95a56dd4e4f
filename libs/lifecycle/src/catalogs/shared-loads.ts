import { retryDelay } from '#core/classic/catalog-source/catalog-pace';
import type { Clock } from '#platform/clock/clock.port';
import { Demand, unlessAborted } from '#platform/fairness/demand';

/** The result of a load, and when it began. A failure is shared by all callers until its next try is due. */
export type Shared<T> =
  | Readonly<{ value: T; begunAt: number }>
  | Readonly<{ error: unknown; begunAt: number; retryAt: number }>;

export type Asking = Readonly<{
  /** Milliseconds since the beginning of an answer, up to which it will do. */
  withinMs: number;
  /** A failure counts until its next try is due, however old it is: the mode of timers. */
  patient: boolean;
  /**
   * The owner of the demand; the hub itself by default. When the last owner has stopped waiting,
   * a running load is ended.
   */
  demand?: Demand;
}>;

type Running<T> = Readonly<{ begunAt: number; demand: Demand; answer: Promise<Shared<T>> }>;

type Entry<T> = {
  last?: Shared<T>;
  running?: Running<T>;
  failures: number;
  /** Answers begun before this are outdated. */
  notBefore: number;
  askedAt: number;
  /** Time at which {@link last} came. */
  answeredAt: number;
};

type SharedLoadsOptions = Readonly<{ clock: Clock; random: () => number }>;

/**
 * Loads that many callers request at the same time or shortly after one another. Each is carried out once for
 * all. A thousand clusters that use one image make one request, and one of them asks an unreachable registry.
 */
export class SharedLoads<T> {
  readonly #entries = new Map<string, Entry<T>>();

  constructor(private readonly options: SharedLoadsOptions) {}

  /** The answer for `key`, as old as `asking` allows. Never rejects: a failure is an answer. */
  async ask(key: string, asking: Asking, load: (demand: Demand) => Promise<T>): Promise<Shared<T>> {
    const { demand = Demand.ofHub() } = asking;
    const entry = this.#entry(key);
    const asked = this.#now();
    // A load that begins from now on is new enough, even if the caller's own last try lies ahead of the
    // clock.
    const oldest = Math.min(asked, Math.max(asked - asking.withinMs, entry.notBefore));
    for (;;) {
      const { last, running } = entry;
      if (last !== undefined && this.#stands(last, oldest, asking, entry)) return last;
      const isLive = running !== undefined && !running.demand.signal.aborted;
      const leave = isLive ? running.demand.follow(demand) : this.#begin(entry, load, demand);
      const joined = isLive ? running : entry.running;
      const answer = await this.#whileWanted(joined, demand).finally(leave);
      if (answer !== undefined && (!isLive || running.begunAt >= oldest)) return answer;
      if (demand.signal.aborted) return { error: demand.signal.reason, begunAt: asked, retryAt: this.#now() };
    }
  }

  /** True if any caller has had an answer for `key` already. */
  answered(key: string): boolean {
    return this.#entries.get(key)?.last !== undefined;
  }

  /** Notes that the source behind `key` has changed: answers begun before now are outdated. */
  renew(key: string): void {
    const entry = this.#entry(key);
    entry.notBefore = this.#now();
    delete entry.last;
  }

  /** Drops answers that were not requested for that many milliseconds. */
  forgetUnasked(ms: number): void {
    const since = this.#now() - ms;
    for (const [key, { askedAt, running }] of this.#entries) {
      if (askedAt < since && running === undefined) this.#entries.delete(key);
    }
  }

  #stands(last: Shared<T>, oldest: number, { patient }: Asking, { notBefore, answeredAt }: Entry<T>): boolean {
    const now = this.#now();
    // The clock was set back since: the age of the answer is not known.
    if (last.begunAt > now || answeredAt > now) return false;
    if ('error' in last && patient) return last.begunAt >= notBefore && now < last.retryAt;
    return last.begunAt >= oldest;
  }

  /** Waits for the answer. Undefined if the caller has stopped waiting. */
  async #whileWanted(running: Running<T> | undefined, { signal }: Demand): Promise<Shared<T> | undefined> {
    if (running === undefined || signal.aborted) return undefined;
    return unlessAborted(running.answer, signal).catch(() => undefined);
  }

  /** Begins a load. Returns a function that stops waiting. */
  #begin(entry: Entry<T>, load: (demand: Demand) => Promise<T>, first: Demand): () => void {
    const begunAt = this.#now();
    const demand = new Demand();
    const leave = demand.follow(first);
    entry.running = { begunAt, demand, answer: this.#carryOut(entry, begunAt, () => load(demand), demand) };
    return leave;
  }

  async #carryOut(entry: Entry<T>, begunAt: number, load: () => Promise<T>, demand: Demand): Promise<Shared<T>> {
    const begun = async () => load(); // An error that it throws synchronously is a failure like any other.
    const answer = await begun().then(
      (value): Shared<T> => ({ value, begunAt }),
      (error: unknown): Shared<T> => {
        if (!demand.signal.aborted) entry.failures += 1;
        return { error, begunAt, retryAt: this.#now() + retryDelay(entry.failures, this.options.random()) };
      },
    );
    if ('value' in answer) entry.failures = 0;
    if (entry.running?.demand === demand) delete entry.running;
    if ('value' in answer || !demand.signal.aborted) {
      entry.last = answer;
      entry.answeredAt = this.#now();
    }
    return answer;
  }

  #entry(key: string): Entry<T> {
    const known = this.#entries.get(key);
    const entry = known ?? { failures: 0, notBefore: Number.NEGATIVE_INFINITY, askedAt: 0, answeredAt: 0 };
    entry.askedAt = this.#now();
    // The clock was set back since.
    if (entry.notBefore > entry.askedAt) entry.notBefore = entry.askedAt;
    if (known === undefined) this.#entries.set(key, entry);
    return entry;
  }

  #now(): number {
    return this.options.clock.now().getTime();
  }
}
