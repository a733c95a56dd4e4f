import type { Clock } from '../../clock/clock.port.js';
import { JobSlots } from '../../fairness/job-slots.js';
import { KubeApiError } from '../errors/kube-api.error.js';

/** The work was done, or was not begun: come again after this pause. */
type Limited<T> = Readonly<{ admitted: true; value: T }> | Readonly<{ admitted: false; againAfterMs: number }>;

type ClusterLimiterOptions = Readonly<{
  clock: Clock;
  /** Most pieces of work at once, those left out that wait for their cluster. Default: no bound. */
  slots?: number;
  /** Most pieces of work at once for one cluster. */
  mostAtOnce: () => number;
  /**
   * Returns a number in [0, 1). It spreads the retries of refused jobs, so that they do not come back
   * together.
   */
  random?: () => number;
  /**
   * Returns the idle milliseconds of this process since some moment. Default: it was always idle. Work that
   * takes long because the process is busy does not wait for its cluster.
   */
  idleMs?: () => number;
}>;

/**
 * `parked`: work that begins when a piece of the cluster's ends. `workMs`: how long its work takes on
 * average, the wait for a slot included. `lineEndMs`: when the last that was turned away returns.
 */
type LimiterState = {
  running: number;
  readonly parked: Set<() => void>;
  slow: number;
  failures: number;
  awayUntilMs: number;
  workMs: number;
  lineEndMs: number;
};

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** Shortest retry delay for jobs turned away at the cluster's concurrency limit. */
const BUSY_AGAIN_MS = 250;
/** Longest time between two returns: the cause of slow work may be over long before the last one. */
const LONGEST_GAP_MS = 250;
/** Work that takes longer waits for its cluster, unless this process was busy most of the time. */
const SLOW_MS = 2_000;
/** Least idle time of the process within that time. */
const SLOW_IDLE_MS = 1_000;
/** Most parked work. Parked work holds a job of the queue, and a process takes a bounded number of jobs. */
const MOST_PARKED = 96;
/** Most pieces of work at once for a cluster that has such work. */
const SLOW_AT_ONCE = 2;
const FIRST_WORK_MS = 50;
/** How much the newest piece of work counts in the average. */
const NEWEST_PART = 0.2;

/**
 * Keeps one cluster from taking up a process that works for many. Every request to a cluster that does not
 * answer waits for its deadline, and a cluster may have more namespaces than the process has slots. So each
 * cluster gets a part of the slots. Work that takes long gives its slot to others and continues without one.
 * A cluster with such work gets only a little more of it. A cluster that did not answer is asked by one piece
 * of work, after growing pauses, until it answers again.
 */
export class ClusterLimiter {
  readonly #states = new Map<string, LimiterState>();
  #parked = 0;
  readonly #slots: JobSlots;

  constructor(private readonly options: ClusterLimiterOptions) {
    this.#slots = new JobSlots(options.slots ?? Number.POSITIVE_INFINITY);
  }

  /**
   * Does the work once there is a slot, unless the cluster is busy or unreachable. Throws the errors of the
   * work. A little work of a busy cluster waits here; the rest is retried. Rejects before the work begins if
   * the signal is aborted first.
   */
  async run<T>(
    cluster: string,
    work: () => Promise<T>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Limited<T>> {
    const state = this.#stateOf(cluster);
    const isParked = this.#parks(state);
    const againAfterMs = isParked ? 0 : this.#turnedAwayMs(state);
    if (againAfterMs > 0) return { admitted: false, againAfterMs };
    if (isParked) await this.#park(state, signal);
    else state.running += 1;
    try {
      // The state of the cluster may have changed while the work was parked.
      const laterMs = isParked ? this.#turnedAwayMs(state, 1) : 0;
      if (laterMs > 0) return { admitted: false, againAfterMs: laterMs };
      const begunMs = this.#now();
      const value = await this.#slots.run(signal, (leave) => this.#timed(state, work, leave));
      state.workMs += NEWEST_PART * (this.#now() - begunMs - state.workMs);
      state.failures = 0;
      return { admitted: true, value };
    } catch (error) {
      this.#noteFailure(state, error);
      throw error;
    } finally {
      this.#end(cluster, state);
    }
  }

  /** True if work waits here: its cluster is busy but answers, and little work waits already. */
  #parks({ running, failures, slow, parked }: LimiterState): boolean {
    const most = this.options.mostAtOnce();
    if (failures > 0 || slow > 0 || running < most) return false;
    return parked.size < most && this.#parked < MOST_PARKED;
  }

  /** Resolves with the place of the piece of work that has ended. */
  async #park(state: LimiterState, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      signal.removeEventListener('abort', end);
      this.#parked -= 1;
      resolve();
    };
    const end = () => {
      if (state.parked.delete(enter)) this.#parked -= 1;
      reject(signal.reason);
    };
    state.parked.add(enter);
    this.#parked += 1;
    signal.addEventListener('abort', end, { once: true });
    await promise;
  }

  /** Passes the place of the work to the longest parked work. */
  #end(cluster: string, state: LimiterState): void {
    const [next] = state.parked;
    if (next !== undefined) {
      state.parked.delete(next);
      next();
      return;
    }
    state.running -= 1;
    if (state.running === 0 && state.failures === 0 && state.lineEndMs <= this.#now()) this.#forgetIdle(cluster, state);
  }

  /** The cluster has left. */
  forget(cluster: string): void {
    this.#states.delete(cluster);
  }

  #forgetIdle(cluster: string, state: LimiterState): void {
    if (this.#states.get(cluster) === state) this.#states.delete(cluster);
  }

  async #timed<T>(state: LimiterState, work: () => Promise<T>, leave: () => void): Promise<T> {
    const idleMs = this.options.idleMs ?? (() => this.#now());
    const idleBefore = idleMs();
    let isSlow = false;
    let cancel = () => {};
    const check = () => {
      if (idleMs() - idleBefore < SLOW_IDLE_MS) {
        cancel = this.options.clock.after(SLOW_MS, check);
        return;
      }
      isSlow = true;
      state.slow += 1;
      leave();
    };
    cancel = this.options.clock.after(SLOW_MS, check);
    try {
      return await work();
    } finally {
      cancel();
      if (isSlow) state.slow -= 1;
    }
  }

  #stateOf(cluster: string): LimiterState {
    const fresh = {
      running: 0,
      parked: new Set<() => void>(),
      slow: 0,
      failures: 0,
      awayUntilMs: 0,
      workMs: FIRST_WORK_MS,
      lineEndMs: 0,
    };
    const known = this.#states.get(cluster) ?? fresh;
    this.#states.set(cluster, known);
    return known;
  }

  /**
   * Returns the milliseconds until the retry of the job; 0 if its work may begin. `held`: places that it has.
   */
  #turnedAwayMs(state: LimiterState, held = 0): number {
    const { slow, failures, awayUntilMs } = state;
    const running = state.running - held;
    const awayMs = awayUntilMs - this.#now();
    if (failures === 0) {
      const most = slow === 0 ? this.options.mostAtOnce() : Math.min(SLOW_AT_ONCE, this.options.mostAtOnce());
      return running < most ? 0 : this.#inLineMs(state, most);
    }
    if (awayMs > 0) return this.#spread(awayMs);
    return running === 0 ? 0 : this.#spread(FIRST_PAUSE_MS); // one asks whether it is back, the others hear of it
  }

  /**
   * Jobs of a busy cluster come back one after the other, about twice as fast as it takes them, and four a
   * second at least: of thousands that came back together all but a few would be turned away again.
   */
  #inLineMs(state: LimiterState, most: number): number {
    const now = this.#now();
    const first = now + BUSY_AGAIN_MS;
    state.lineEndMs = Math.max(state.lineEndMs, first) + Math.min(LONGEST_GAP_MS, state.workMs / most / 2);
    const inLineMs = Math.min(LONGEST_PAUSE_MS, state.lineEndMs - now);
    return this.#spread(BUSY_AGAIN_MS) + Math.floor(inLineMs - BUSY_AGAIN_MS);
  }

  #noteFailure(state: LimiterState, error: unknown): void {
    const answered = !KubeApiError.is(error) || error.answered;
    if (answered) {
      state.failures = 0;
      return;
    }
    const now = this.#now();
    // Pieces of work that ran together fail together: that is one failure.
    if (now < state.awayUntilMs) return;
    state.awayUntilMs = now + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** state.failures);
    state.failures = Math.min(state.failures + 1, 10);
  }

  #spread(ms: number): number {
    return Math.ceil(ms * (1 + (this.options.random ?? Math.random)()));
  }

  #now(): number {
    return this.options.clock.now().getTime();
  }
}
