/**
 * When it makes sense to try again: after a growing pause, only once the input has
 * changed, or after a set time.
 */
export type Retry = 'backoff' | 'when-input-changes' | { afterMs: number };

/**
 * Base of every error this code throws. `code` is public API (stable, one word per kind of failure). The
 * message is for people and may change: it names the failure, the place, and the next step. Never put a
 * secret into a message.
 */
export abstract class FlotillaError extends Error {
  abstract readonly code: string;
  abstract readonly retry: Retry;
  override get name(): string {
    return this.constructor.name;
  }
}
