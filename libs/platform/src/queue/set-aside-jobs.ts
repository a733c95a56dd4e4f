import type { Redis } from 'ioredis';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { type PayloadForm, readPayload } from '#core/kernel/payload/read-payload';
import { RedisScript, SERVER_NOW } from '../redis/redis-script.js';
import { parseJson } from '../store/value-codec.js';
import type { Log } from '../telemetry/log.port.js';
import type { Delayed, DuePoll } from './due-poll.js';

/** Jobs that wait aside in one queue. They are one for each subject or problem, and as small as these. */
const MOST_ASIDE = 10_000;
const LONGEST_JOB = 4_096;
/**
 * Time after which a job that no service of its version has taken counts as left behind by an old release.
 */
const KEPT_MS = 86_400_000;
const LOOK_MS = 5_000;
/** Most jobs taken back at a time: those that an older service takes again circulate no faster. */
const MOST_TAKEN_BACK = 100;

/** Adds a job. Returns 0 if there are too many. KEYS: jobs aside. ARGV: the most, job. */
const PUT = new RedisScript(`${SERVER_NOW}
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) and not redis.call('ZSCORE', KEYS[1], ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now, ARGV[2])
return 1`);

/** The time, then all jobs with their times. KEYS: jobs aside. ARGV: the most. */
const LOOK = new RedisScript(`${SERVER_NOW}
return { tostring(now), redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1, 'WITHSCORES') }`);

/** Removes a job unless it was put aside again meanwhile. KEYS: jobs aside. ARGV: job, its time. */
const REMOVE = new RedisScript(`
if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('ZREM', KEYS[1], ARGV[1]) end`);

type SetAsideJobsOptions<J> = Readonly<{
  redis: Redis;
  /** Key of the set in Redis. */
  key: string;
  queue: string;
  form: PayloadForm<J>;
  poll: DuePoll;
  log: Log;
  onError: (error: unknown) => void;
  /** How often a service looks for jobs that it can read. Default 5 s. */
  lookMs?: number | undefined;
}>;

/**
 * Jobs of one queue that a service of an older release took and could not read. They are set aside until a
 * service that knows their version returns them to the queue. No try of them fails, and none is lost
 * (decision 0280). All times are the Redis server's.
 */
export class SetAsideJobs<J> {
  readonly #told = new Set<number>();
  readonly #lookMs: number;
  #nextLookMs = 0;
  #unreadable = 0;
  #started: Delayed | undefined;

  constructor(private readonly options: SetAsideJobsOptions<J>) {
    this.#lookMs = options.lookMs ?? LOOK_MS;
  }

  /** Number of set-aside jobs that this process cannot read, as of its last poll. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Sets a job aside. Returns false if the job is too long, or too many are set aside. */
  async put(data: unknown, version: number): Promise<boolean> {
    const { redis, key, queue, log } = this.options;
    const text = canonicalJson(data);
    if (text.length > LONGEST_JOB) return false;
    if ((await PUT.run(redis, [key], MOST_ASIDE, text)) !== 1) return false;
    this.#unreadable = Math.max(this.#unreadable, 1);
    if (!this.#told.has(version)) {
      const fields = { queue, version, known: this.options.form.version };
      log.warn(fields, 'set aside jobs of a newer release until a service of that release takes them');
    }
    this.#told.add(version);
    return true;
  }

  count(): Promise<number> {
    return this.options.redis.zcard(this.options.key);
  }

  /** Returns readable jobs to the queue. When `add` resolves, it must have taken the job over for good. */
  start(add: (job: J) => Promise<void>): void {
    if (this.#started !== undefined) return;
    const { key, poll, onError } = this.options;
    const takeDue = () =>
      this.#look(add).catch((error: unknown) => {
        if (this.#started !== undefined) onError(error);
        return this.#lookMs;
      });
    this.#started = { key, claims: key, takeDue, onError };
    poll.start(this.#started);
  }

  async stop(): Promise<void> {
    const started = this.#started;
    this.#started = undefined;
    if (started !== undefined) await this.options.poll.stop(started);
  }

  /** Returns readable jobs to the queue. Resolves to the milliseconds until the next poll. */
  async #look(add: (job: J) => Promise<void>): Promise<number> {
    const left = this.#nextLookMs - performance.now();
    if (left > 0) return left;
    this.#nextLookMs = performance.now() + this.#lookMs;
    const { redis, key, queue, form, log } = this.options;
    const { nowMs, jobs } = readLook(await LOOK.run(redis, [key], MOST_ASIDE));
    let [taken, unreadable, dropped] = [0, 0, 0];
    for (const { text, time } of jobs) {
      const read = readPayload(parseJson(text), form);
      if (read.kind === 'read') {
        if (taken === MOST_TAKEN_BACK) continue;
        taken += 1;
        await add(read.value);
      } else if (read.kind === 'newer' && nowMs - Number(time) < KEPT_MS) {
        unreadable += 1;
        continue;
      } else dropped += 1;
      await REMOVE.run(redis, [key], text, time);
    }
    this.#unreadable = unreadable;
    if (taken > 0) log.info({ queue, jobs: taken }, 'took back jobs that a service of an older release set aside');
    if (dropped > 0) log.warn({ queue, jobs: dropped }, 'dropped jobs that nothing has read for a day');
    return this.#lookMs;
  }
}

function readLook(answer: unknown): { nowMs: number; jobs: readonly Readonly<{ text: string; time: string }>[] } {
  const [now, found] = Array.isArray(answer) ? answer : [];
  const members = Array.isArray(found) ? found.map(String) : [];
  const jobs = members.flatMap((text, at) => (at % 2 === 0 ? [{ text, time: members[at + 1] ?? '' }] : []));
  return { nowMs: Number(now), jobs };
}
