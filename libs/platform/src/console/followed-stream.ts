import type { Redis } from 'ioredis';
import type { z } from 'zod';
import type { Clock } from '../clock/clock.port.js';
import type { Log } from '../telemetry/log.port.js';

type FollowedStreamOptions<T> = Readonly<{
  redis: Redis;
  clock: Clock;
  log: Log;
  /** Key of the stream, and the field of an entry that has the JSON. */
  stream: string;
  field: string;
  shape: z.ZodType<T>;
  /** What is older, by the clock of Redis, is passed over; a follower that starts reads as far back. */
  freshMs: number;
  /** What an entry is, for log lines: `actions of the console`. */
  what: string;
}>;

const WAIT_MS = 20_000;
const AT_ONCE = 20;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

type Entry = [id: string, fields: string[]];

/** What came beside an entry: the name that Redis gave it, and the proof of the person; empty: none. */
type EntryFrame = Readonly<{ delivery: string; proof: string }>;

/** What is undefined is no JSON. */
export const parsedJson = (text: string | null | undefined): unknown => {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
};

/**
 * The entries of a stream that others write, each once, on a connection of its own. What does not have the
 * shape is dropped with a line in the log.
 */
export class FollowedStream<T> {
  readonly #stopped = new AbortController();
  #waiting: Redis | undefined;
  #running: Promise<void> | undefined;

  constructor(private readonly options: FollowedStreamOptions<T>) {}

  follow(take: (entry: T, frame: EntryFrame) => void): void {
    this.#running ??= this.#run(take);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#waiting?.disconnect();
    await this.#running;
  }

  async #run(take: (entry: T, frame: EntryFrame) => void): Promise<void> {
    const { clock, log, freshMs, what } = this.options;
    let place: string | undefined;
    let pause = FIRST_PAUSE_MS;
    while (!this.#stopped.signal.aborted) {
      try {
        place = await this.#next(place ?? `${(await this.#nowMs()) - freshMs}-0`, take);
        pause = FIRST_PAUSE_MS;
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        log.warn({ error: String(error) }, `${what} were not read`);
        await clock.sleep(pause, this.#stopped.signal);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    }
  }

  /** Takes what comes after a place; answers the place after it. */
  async #next(place: string, take: (entry: T, frame: EntryFrame) => void): Promise<string> {
    const { redis, log, stream, field, shape, freshMs, what } = this.options;
    this.#waiting ??= redis.duplicate();
    const answer = await this.#waiting.xread('COUNT', AT_ONCE, 'BLOCK', WAIT_MS, 'STREAMS', stream, place);
    const entries = (answer?.[0]?.[1] ?? []) as Entry[];
    const nowMs = entries.length === 0 ? 0 : await this.#nowMs();
    for (const [id, fields] of entries) {
      if (nowMs - Number(id.split('-')[0]) > freshMs) continue;
      const { success, data } = shape.safeParse(parsedJson(fields[fields.indexOf(field) + 1]));
      const at = fields.indexOf('proof');
      if (success) take(data, { delivery: id, proof: at % 2 === 0 ? (fields[at + 1] ?? '') : '' });
      else log.warn({ entry: id }, `what is not one of the ${what} was dropped`);
    }
    return entries.at(-1)?.[0] ?? place;
  }

  /** By the clock of Redis, which also names the entries. */
  async #nowMs(): Promise<number> {
    const [seconds, microseconds] = await this.options.redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  }
}
