import type { Redis } from 'ioredis';
import { RedisScript } from '../redis/redis-script.js';

/**
 * Finds the job of a key if it waits, or runs and must run once more: id and place. KEYS: the queue's note of
 * the job of a key (`de`), of the job that follows it (`dn`), and the running jobs. ARGV: prefix of ids of
 * jobs.
 */
const FIND = new RedisScript(`
local id = redis.call('GET', KEYS[1])
if not id or redis.call('EXISTS', ARGV[1] .. id) == 0 then return {} end
local at = redis.pcall('LPOS', KEYS[3], id)
if not at then return { id, 'waits' } end
if type(at) == 'number' and redis.call('EXISTS', KEYS[2]) == 1 then return { id, 'follows' } end
return {}`);

/** Most keys known to have had a duplicate. More are forgotten: one question less is asked then. */
const MOST_KEYS = 10_000;

type WaitingJob = Readonly<{ id: string; place: 'waits' | 'follows' }>;

/**
 * Finds a job that is about to be added and is there already. BullMQ takes ten commands to add a duplicate,
 * and {@link FIND} takes four. So it is asked for keys that had a duplicate when they were last added: while
 * a queue is long, most jobs that are added to it wait there. The keys are private to BullMQ 6: its methods
 * name the job of a key, and not the one that follows it (decision 0152).
 */
export class WaitingJobs {
  readonly #keys = new Set<string>();

  constructor(
    private readonly redis: Redis,
    /** Name of the queue's key in Redis. */
    private readonly keyOf: (name: string) => string,
  ) {}

  /** The job of this key was there already. */
  noteDuplicate(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > MOST_KEYS && oldest !== undefined) this.#keys.delete(oldest);
  }

  /**
   * Finds the job that waits for a key. Returns undefined also if nothing is known of the key: adding it then
   * shows it.
   */
  async find(key: string): Promise<WaitingJob | undefined> {
    if (!this.#keys.has(key)) return undefined;
    const { keyOf } = this;
    const keys = [keyOf(`de:${key}`), keyOf(`dn:${key}`), keyOf('active')];
    const answer = await FIND.run(this.redis, keys, keyOf(''));
    const [id, place] = Array.isArray(answer) ? answer : [];
    if (typeof id === 'string' && (place === 'waits' || place === 'follows')) return { id, place };
    this.#keys.delete(key);
    return undefined;
  }
}
