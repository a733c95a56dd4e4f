import { FlotillaError } from '#core/kernel/errors/flotilla.error';

export type BackoffLimits = Readonly<{ firstMs: number; longestMs: number }>;

export const defaultBackoff: BackoffLimits = { firstMs: 1_000, longestMs: 300_000 };

/**
 * Largest part of a pause that is taken off at random, so that work that failed together is not retried
 * together.
 */
const JITTER = 0.5;

/**
 * Milliseconds until a failed job is tried again, undefined when only a new job may try it.
 * `attempt` counts from 1; `random` is in [0, 1).
 */
export function retryDelayMs(
  error: unknown,
  attempt: number,
  random: number,
  { firstMs, longestMs }: BackoffLimits = defaultBackoff,
): number | undefined {
  const retry = error instanceof FlotillaError ? error.retry : 'backoff';
  if (retry === 'when-input-changes') return undefined;
  if (typeof retry === 'object') return retry.afterMs;
  const pause = Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(pause * (1 - JITTER * random));
}
