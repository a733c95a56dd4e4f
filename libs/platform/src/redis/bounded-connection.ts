import type { Redis } from 'ioredis';

/** Bytes of one answer of Redis: more is not received. */
export const LONGEST_ANSWER = 16 * 1_024 * 1_024;

/**
 * A separate connection for answers whose length others decide. It ends before an answer fills the memory;
 * the next read opens a new one. Reads run one at a time.
 */
export class BoundedConnection {
  #connection: Redis | undefined;
  /** Bytes of the answer that is being received. */
  #received = 0;

  constructor(private readonly redis: Redis) {}

  /** Returns undefined if the answer is too long. */
  async read<T>(ask: (connection: Redis) => Promise<T>): Promise<Readonly<{ answer: T }> | undefined> {
    this.#connection ??= this.#bounded(this.redis.duplicate());
    this.#received = 0;
    try {
      return { answer: await ask(this.#connection) };
    } catch (error) {
      if (this.#received <= LONGEST_ANSWER) throw error;
      this.#connection = undefined;
      return undefined;
    }
  }

  disconnect(): void {
    this.#connection?.disconnect();
  }

  #bounded(connection: Redis): Redis {
    return connection.on('connect', () => {
      connection.stream.on('data', (chunk: Uint8Array) => {
        this.#received += chunk.length;
        if (this.#received <= LONGEST_ANSWER) return;
        connection.disconnect();
        connection.stream.destroy();
      });
    });
  }
}
