import type { Redis } from 'ioredis';
import { RedisScript, SERVER_NOW } from '../redis/redis-script.js';
import type { Delayed, DuePoll } from './due-poll.js';

/** Time after which another process takes an unsettled claim: its holder died. */
const CLAIM_MS = 10_000;
const CLAIMS_AT_ONCE = 200;
const AGAIN_AFTER_ERROR_MS = 1_000;
/**
 * A job that is due within this time is not sent again: a pass sets the same delayed job in each of its
 * rounds. Later jobs are sent each time, because Redis may have been emptied meanwhile.
 */
const SOON_MS = 2_000;
const MOST_REMEMBERED = 10_000;

/** Sets the delayed job unless an earlier one exists. KEYS: delayed jobs. ARGV: delay, member. */
const SET = new RedisScript(`${SERVER_NOW}; redis.call('ZADD', KEYS[1], 'LT', now + tonumber(ARGV[1]), ARGV[2])`);

/**
 * Moves due jobs, and claims of dead holders, to the claims. Returns the claim's number, then the members.
 * KEYS: delayed jobs, claims.
 */
const CLAIM = new RedisScript(`${SERVER_NOW}
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[2]), 'LIMIT', 0, ARGV[1])) do
  due[#due + 1] = member
end
for _, member in ipairs(due) do
  redis.call('ZREM', KEYS[1], member)
  redis.call('ZADD', KEYS[2], now, member)
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local wait = first[2] and math.max(0, tonumber(first[2]) - now) or -1
return { now, wait, due }`);

/** Forgets claims that still have their number. KEYS: claims. ARGV: number, members. */
const SETTLE = new RedisScript(`
for i = 2, #ARGV do
  if redis.call('ZSCORE', KEYS[1], ARGV[i]) == ARGV[1] then redis.call('ZREM', KEYS[1], ARGV[i]) end
end`);

/**
 * One delayed job per member, the earliest that was requested. It is kept in Redis, taken by any process once
 * it is due, and taken again by another when that one dies before it is done. BullMQ's own delayed jobs do
 * not serve: with them a delayed duplicate replaces an immediate one that waits for a running job of its key,
 * and the other way round.
 */
export class RedisDelayedJobs {
  readonly #delayedJobs: string;
  readonly #claims: string;
  #started: Delayed | undefined;
  /**
   * Due times, by this process's clock, of members that it has set and not taken since. Never later than
   * Redis's: a member that Redis gave out meanwhile would be skipped.
   */
  readonly #dueMs = new Map<string, number>();

  constructor(
    private readonly redis: Redis,
    prefix: string,
    private readonly poll: DuePoll,
    private readonly onError: (error: unknown) => void,
  ) {
    this.#delayedJobs = `${prefix}:alarms`;
    this.#claims = `${prefix}:claims`;
  }

  /** Sets the member. Sends nothing if this process has set it for an earlier time that comes soon. */
  async set(member: string, delayMs: number): Promise<void> {
    const nowMs = performance.now();
    const known = this.#dueMs.get(member);
    if (known !== undefined && known > nowMs && known <= nowMs + Math.min(delayMs, SOON_MS)) return;
    await SET.run(this.redis, [this.#delayedJobs], Math.ceil(delayMs), member);
    if (this.#started !== undefined) this.poll.pollIn(delayMs);
    // Redis keeps the earlier of the two.
    const dueMs = known !== undefined && known > nowMs ? Math.min(known, nowMs + delayMs) : nowMs + delayMs;
    this.#dueMs.delete(member);
    this.#dueMs.set(member, dueMs);
    const [oldest] = this.#dueMs.keys();
    if (this.#dueMs.size > MOST_REMEMBERED && oldest !== undefined) this.#dueMs.delete(oldest);
  }

  /** Forgets the member. Sends nothing if this process has not set the member, or has taken it since. */
  async forget(member: string): Promise<void> {
    if (!this.#dueMs.delete(member)) return;
    await this.redis.zrem(this.#delayedJobs, member);
  }

  /** Returns the members that are due first, with their times in milliseconds since 1970. */
  async first(most: number): Promise<readonly Readonly<{ member: string; dueMs: number }>[]> {
    const found = await this.redis.zrange(this.#delayedJobs, '0', String(most - 1), 'WITHSCORES');
    return found.flatMap((member, at) => (at % 2 === 0 ? [{ member, dueMs: Number(found[at + 1]) }] : []));
  }

  async count(): Promise<number> {
    const [delayedJobs, claims] = await Promise.all([
      this.redis.zcard(this.#delayedJobs),
      this.redis.zcard(this.#claims),
    ]);
    return delayedJobs + claims;
  }

  /** Starts to ring due members. When `ring` resolves, it must own the member for good. */
  start(ring: (member: string) => Promise<void>): void {
    if (this.#started !== undefined) return;
    const takeDue = () =>
      this.#ringDue(ring).catch((error: unknown) => {
        if (this.#started !== undefined) this.onError(error);
        return AGAIN_AFTER_ERROR_MS;
      });
    this.#started = { key: this.#delayedJobs, claims: this.#claims, takeDue, onError: this.onError };
    this.poll.start(this.#started);
  }

  async stop(): Promise<void> {
    const started = this.#started;
    this.#started = undefined;
    if (started !== undefined) await this.poll.stop(started);
  }

  /** Returns the milliseconds until the next one rings. */
  async #ringDue(ring: (member: string) => Promise<void>): Promise<number> {
    const answer = await CLAIM.run(this.redis, [this.#delayedJobs, this.#claims], CLAIMS_AT_ONCE, CLAIM_MS);
    const { claim, waitMs, members } = readClaims(answer);
    for (const member of members) this.#dueMs.delete(member);
    const rung = await Promise.allSettled(members.map(ring));
    const settled = members.filter((_, at) => rung[at]?.status === 'fulfilled');
    if (settled.length > 0) await SETTLE.run(this.redis, [this.#claims], claim, ...settled);
    for (const one of rung) if (one.status === 'rejected') throw one.reason;
    return waitMs;
  }
}

function readClaims(answer: unknown): { claim: string; waitMs: number; members: string[] } {
  const [claim, wait, members] = Array.isArray(answer) ? answer : [];
  const waitMs = Number(wait);
  return {
    claim: String(claim),
    waitMs: waitMs < 0 ? Number.POSITIVE_INFINITY : waitMs,
    members: Array.isArray(members) ? members.map(String) : [],
  };
}
