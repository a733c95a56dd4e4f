import type { Redis } from 'ioredis';
import { RedisScript, SERVER_NOW } from '../redis/redis-script.js';

/** Longest time after its due time until a delayed job of another process is found. */
const LONGEST_WAIT_MS = 1_000;
/**
 * Longest time between two questions to a queue while anything is delayed or claimed, due or not. It finds
 * the jobs that a dead process left behind.
 */
const ASKED_ANYWAY_MS = 5_000;

/**
 * Returns the milliseconds until the first of each set of times is due, -1 for an empty set. Returns nothing
 * if all keys are empty. KEYS: sets of times, then as many sets of claims.
 */
const FIRST_DUE = new RedisScript(`
if redis.call('EXISTS', unpack(KEYS)) == 0 then return {} end
${SERVER_NOW}
local waits = {}
for i = 1, #KEYS / 2 do
  local first = redis.call('ZRANGE', KEYS[i], 0, 0, 'WITHSCORES')
  waits[i] = first[2] and math.max(0, math.ceil(first[2] - now)) or -1
end
return waits`);

/** Delayed jobs of one queue. */
export type Delayed = Readonly<{
  /** The set of their times in Redis. */
  key: string;
  /** The set of jobs that a process has taken and not yet enqueued. */
  claims: string;
  /** Takes jobs that are due. Returns the milliseconds until the next poll; never fails. */
  takeDue: () => Promise<number>;
  onError: (error: unknown) => void;
}>;

/** Asks Redis for delayed jobs that are due: one question for all queues of a process. */
export class DuePoll {
  /** The queues, each with the time of its last question. */
  readonly #queues = new Map<Delayed, number>();
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;
  #polling: Promise<void> | undefined;
  #wantedMeanwhile = false;

  constructor(private readonly redis: Redis) {}

  start(queue: Delayed): void {
    this.#queues.set(queue, Number.NEGATIVE_INFINITY);
    this.pollIn(0);
  }

  /** Resolves once the queue takes nothing more. */
  async stop(queue: Delayed): Promise<void> {
    this.#queues.delete(queue);
    if (this.#queues.size === 0) this.#cancel();
    await this.#polling;
  }

  /** Polls in time for a job that this process has delayed by `ms`, however seldom Redis is asked. */
  pollIn(ms: number): void {
    const atMs = performance.now() + ms;
    if (this.#queues.size === 0 || atMs >= this.#timerMs) return;
    this.#cancel();
    this.#timerMs = atMs;
    this.#timer = setTimeout(() => this.#fire(), ms);
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timerMs = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    this.#timerMs = Number.POSITIVE_INFINITY;
    this.#wantedMeanwhile = this.#polling !== undefined;
    this.#polling ??= this.#poll().then((waitMs) => {
      this.#polling = undefined;
      this.pollIn(this.#wantedMeanwhile ? 0 : waitMs);
    });
  }

  /** Polls all queues. Returns the milliseconds until the next poll. */
  async #poll(): Promise<number> {
    const queues = [...this.#queues.keys()];
    try {
      const keys = [...queues.map(({ key }) => key), ...queues.map(({ claims }) => claims)];
      const answer = await FIRST_DUE.run(this.redis, keys);
      const firsts: readonly unknown[] = Array.isArray(answer) ? answer : [];
      if (firsts.length === 0) return LONGEST_WAIT_MS;
      const waits = await Promise.all(queues.map((queue, at) => this.#ask(queue, Number(firsts[at] ?? -1))));
      return Math.min(LONGEST_WAIT_MS, ...waits);
    } catch (error) {
      queues.find((queue) => this.#queues.has(queue))?.onError(error);
      return LONGEST_WAIT_MS;
    }
  }

  async #ask(queue: Delayed, firstMs: number): Promise<number> {
    const askedMs = this.#queues.get(queue);
    if (askedMs === undefined) return LONGEST_WAIT_MS; // stopped meanwhile
    const nowMs = performance.now();
    if (firstMs !== 0 && nowMs - askedMs < ASKED_ANYWAY_MS) return firstMs < 0 ? LONGEST_WAIT_MS : firstMs;
    this.#queues.set(queue, nowMs);
    return queue.takeDue();
  }
}
