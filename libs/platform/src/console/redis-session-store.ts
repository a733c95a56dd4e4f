import type { Redis } from 'ioredis';
import { parsedValue } from '../view/parsed-value.js';
import { type SessionStore, StoredSession } from './session-store.port.js';

/** Sessions of the console in Redis: when it is emptied, people sign in again. */
export class RedisSessionStore implements SessionStore {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
  ) {}

  async get(hash: string): Promise<StoredSession | undefined> {
    return parsedValue(StoredSession, await this.redis.get(this.#key(hash)))[0];
  }

  async put(hash: string, session: StoredSession, seconds: number): Promise<void> {
    await this.redis.set(this.#key(hash), JSON.stringify(session), 'EX', Math.max(1, Math.ceil(seconds)));
  }

  async remove(hash: string): Promise<void> {
    await this.redis.del(this.#key(hash));
  }

  #key(hash: string): string {
    return `${this.prefix}:console:session:${hash}`;
  }
}
