import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A line of scripts: `now` in milliseconds, by the Redis server: clocks of our processes need not agree. */
export const SERVER_NOW = "local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)";

/** A Lua script that Redis keeps. It is sent by its digest, and whole only if Redis does not have it. */
export class RedisScript {
  readonly #sha1: string;

  constructor(private readonly text: string) {
    this.#sha1 = createHash('sha1').update(text).digest('hex');
  }

  async run(redis: Redis, keys: readonly string[], ...args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.#sha1, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(this.text, keys.length, ...keys, ...args);
    }
  }
}
