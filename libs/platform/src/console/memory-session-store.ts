import type { Clock } from '../clock/clock.port.js';
import { expiringValues } from '../store/expiring-values.js';
import type { SessionStore, StoredSession } from './session-store.port.js';

const MOST_SESSIONS = 10_000;

/** Sessions within one process: when it ends, people sign in again. */
export class MemorySessionStore implements SessionStore {
  readonly #sessions;

  constructor(clock: Clock) {
    this.#sessions = expiringValues<StoredSession>({ clock, ttlMs: 0, most: MOST_SESSIONS });
  }

  async get(hash: string): Promise<StoredSession | undefined> {
    return structuredClone(this.#sessions.get(hash));
  }

  async put(hash: string, session: StoredSession, seconds: number): Promise<void> {
    this.#sessions.set(hash, structuredClone(session), { ttl: Math.max(1, Math.ceil(seconds)) * 1_000 });
  }

  async remove(hash: string): Promise<void> {
    this.#sessions.delete(hash);
  }
}
