import type { Redis } from 'ioredis';

/** Questions that come within this time are one command, as long as the answer is no. */
const GATHER_MS = 200;

/** Checks if keys of Redis exist, with one question for all queues of a process. */
export class OccupiedKeys {
  #asked: Set<string> | undefined;
  #answer: Promise<ReadonlySet<string>> = Promise.resolve(new Set<string>());

  constructor(private readonly redis: Redis) {}

  async has(key: string): Promise<boolean> {
    if (this.#asked === undefined) {
      const asked = new Set<string>();
      this.#asked = asked;
      this.#answer = new Promise((resolve) => setTimeout(resolve, GATHER_MS)).then(() => this.#ask(asked));
    }
    this.#asked.add(key);
    return (await this.#answer).has(key);
  }

  async #ask(asked: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    this.#asked = undefined;
    const keys = [...asked];
    const count = await this.redis.exists(...keys);
    if (count === 0) return new Set();
    if (count === keys.length) return asked;
    const each = await Promise.all(keys.map((key) => this.redis.exists(key)));
    return new Set(keys.filter((_, at) => each[at] === 1));
  }
}
