import type { Redis } from 'ioredis';
import type { z } from 'zod';
import type { Clock } from '../clock/clock.port.js';
import { BoundedConnection, LONGEST_ANSWER } from '../redis/bounded-connection.js';
import type { Log } from '../telemetry/log.port.js';

type FollowedStreamOptions<T> = Readonly<{
  redis: Redis;
  clock: Clock;
  log: Log;
  /** Key of the stream, and the field of an entry that has the JSON. */
  stream: string;
  field: string;
  shape: z.ZodType<T>;
  /**
   * Age in milliseconds, by the clock of Redis, above which entries are skipped. A follower that starts reads
   * as far back.
   */
  freshMs: number;
  /** The kind of the entries, for log lines: `actions of the console`. */
  what: string;
}>;

/** Longest entry with its proof that is read: a thousand targets with their longest names are shorter. */
const LONGEST_ENTRY = LONGEST_ANSWER / 2;
const WAIT_MS = 20_000;
/** Interval for checking if an entry of the future is still there. */
const WAIT_BEHIND_FUTURE_MS = 1_000;
/** Clocks of hub and Redis may differ by so much. */
const MOST_SKEW_MS = 60_000;
const AT_ONCE = 20;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

type Entry = [id: string, fields: string[]];

/**
 * The next entries of stream ARGV[1] after place ARGV[2], at most ARGV[3], until they have ARGV[4] bytes.
 * A longer one has no fields, and ends them. As a key the stream would need the right to write.
 */
const BOUNDED = `
local found, place, left = {}, ARGV[2], tonumber(ARGV[4])
for _ = 1, tonumber(ARGV[3]) do
  -- Nothing is after the last possible id, and Redis refuses to look there.
  if place == '18446744073709551615-18446744073709551615' then break end
  local entry = redis.call('XRANGE', ARGV[1], '(' .. place, '+', 'COUNT', 1)[1]
  if not entry then break end
  local size = 0
  for _, part in ipairs(entry[2]) do size = size + #part end
  if size > tonumber(ARGV[4]) then entry[2] = {} end
  table.insert(found, entry)
  place, left = entry[1], left - size
  if left <= 0 then break end
end
return found`;

/** Frame of an entry: the name that Redis gave it, and the proof of the person; empty: none. */
type EntryFrame = Readonly<{ delivery: string; proof: string }>;

/** 1 if stream ARGV[1] has an entry at place ARGV[2] or after it. */
const IS_THERE = `return #redis.call('XRANGE', ARGV[1], ARGV[2], '+', 'COUNT', 1)`;

/** Parses JSON. Returns undefined if the text is no JSON. */
export const parsedJson = (text: string | null | undefined): unknown => {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
};

/**
 * Follows the entries of a stream that others write, each once, on a connection of its own. Drops entries
 * that do not have the shape, with a line in the log.
 */
export class FollowedStream<T> {
  readonly #stopped = new AbortController();
  readonly #waiting: BoundedConnection;
  #running: Promise<void> | undefined;

  constructor(private readonly options: FollowedStreamOptions<T>) {
    this.#waiting = new BoundedConnection(options.redis);
  }

  follow(take: (entry: T, frame: EntryFrame) => void): void {
    this.#running ??= this.#run(take);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#waiting.disconnect();
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
        log.warn({ error: String(error) }, `could not read ${what}`);
        await clock.sleep(pause, this.#stopped.signal);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    }
  }

  /** Takes the entries after a place. Returns the place after them. */
  async #next(place: string, take: (entry: T, frame: EntryFrame) => void): Promise<string> {
    const { log, field, shape, freshMs, what } = this.options;
    const entries = await this.#after(place);
    const nowMs = entries.length === 0 ? 0 : await this.#nowMs();
    for (const [id, fields] of entries) {
      if (nowMs - Number(id.split('-')[0]) > freshMs) continue;
      if (fields.length === 0) {
        log.warn({ entry: id, most: LONGEST_ENTRY }, `dropped an entry of the ${what} that is too long`);
        continue;
      }
      const { success, data } = shape.safeParse(parsedJson(fields[fields.indexOf(field) + 1]));
      const at = fields.indexOf('proof');
      if (success) take(data, { delivery: id, proof: at % 2 === 0 ? (fields[at + 1] ?? '') : '' });
      else log.warn({ entry: id }, `dropped an unreadable entry of the ${what}`);
    }
    return entries.at(-1)?.[0] ?? (await this.#kept(place));
  }

  /**
   * Returns the place to read from. The writer names the entries. If an entry of the future is gone, new ones
   * lie before it.
   */
  async #kept(place: string): Promise<string> {
    const { redis, stream, freshMs } = this.options;
    const nowMs = await this.#nowMs();
    if (Number(place.split('-')[0]) <= nowMs) return place;
    const isThere = await redis.eval(IS_THERE, 0, stream, place);
    return isThere === 1 ? place : `${nowMs - freshMs}-0`;
  }

  /** Waits for entries after a place. An answer that is too long is dropped, and read again in parts. */
  async #after(place: string): Promise<Entry[]> {
    const { redis, stream, clock } = this.options;
    const isAhead = Number(place.split('-')[0]) > clock.now().getTime() + MOST_SKEW_MS;
    const waitMs = isAhead ? WAIT_BEHIND_FUTURE_MS : WAIT_MS;
    const read = await this.#waiting.read((connection) =>
      connection.xread('COUNT', AT_ONCE, 'BLOCK', waitMs, 'STREAMS', stream, place),
    );
    if (read !== undefined) return (read.answer?.[0]?.[1] ?? []) as Entry[];
    return (await redis.eval(BOUNDED, 0, stream, place, AT_ONCE, LONGEST_ENTRY)) as Entry[];
  }

  /** Returns the time by the clock of Redis, which also names the entries. */
  async #nowMs(): Promise<number> {
    const [seconds, microseconds] = await this.options.redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  }
}
