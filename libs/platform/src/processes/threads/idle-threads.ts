type Thread = Readonly<{ ended: boolean; end: () => Promise<void> }>;
type Idle<T> = Readonly<{ thread: T; timer: NodeJS.Timeout }>;

/** Threads that wait for their next task for a while: starting one costs more than a small task. */
export class IdleThreads<T extends Thread> {
  readonly #idle: Idle<T>[] = [];

  constructor(
    private readonly start: () => T,
    private readonly idleMs: number,
    /** Threads that are kept at most. */
    private readonly most = Number.POSITIVE_INFINITY,
  ) {}

  /** Threads that wait. */
  get count(): number {
    return this.#idle.length;
  }

  /** The one that had a task last, or a new one. */
  take(): T {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (!idle.thread.ended) return idle.thread;
    }
    return this.start();
  }

  /** Keeps a thread that has done its task, unless it has ended. */
  keep(thread: T): void {
    if (thread.ended) return;
    if (this.#idle.length >= this.most) {
      void thread.end();
      return;
    }
    const timer = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(idle), 1);
      void thread.end();
    }, this.idleMs).unref();
    const idle: Idle<T> = { thread, timer };
    this.#idle.push(idle);
  }
}
