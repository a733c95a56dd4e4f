import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { parseGoDuration } from '../../kernel/durations/go-duration.js';

export const UNPACK_TIMEOUT_ANNOTATION = 'operatorframework.io/bundle-unpack-timeout';
export const UNPACK_RETRY_ANNOTATION = 'operatorframework.io/bundle-unpack-min-retry-interval';

/** Both in milliseconds; absent: not set. A timeout of 0 means none. */
export type UnpackSettings = Readonly<{ timeoutMs?: number; minRetryMs?: number }>;

/**
 * Returns a group's settings for fetching bundles, from its annotations. A duration that cannot be read stops
 * the resolution of the namespace, with OLM's text (spec: operator-groups.md §7, subscriptions.md §2.3).
 */
export function unpackSettings({ metadata }: OperatorGroup): UnpackSettings | Readonly<{ error: string }> {
  const timeout = read(metadata.annotations?.[UNPACK_TIMEOUT_ANNOTATION], 'timeout', UNPACK_TIMEOUT_ANNOTATION);
  if ('error' in timeout) return timeout;
  const retry = read(metadata.annotations?.[UNPACK_RETRY_ANNOTATION], 'retry', UNPACK_RETRY_ANNOTATION);
  if ('error' in retry) return retry;
  return {
    // OLM takes a negative timeout for one that is not set, and a retry interval only when it is above zero.
    ...(timeout.ms === undefined || timeout.ms < 0 ? {} : { timeoutMs: timeout.ms }),
    ...(retry.ms === undefined || retry.ms <= 0 ? {} : { minRetryMs: retry.ms }),
  };
}

function read(
  text: string | undefined,
  what: 'timeout' | 'retry',
  key: string,
): Readonly<{ ms: number | undefined }> | Readonly<{ error: string }> {
  if (text === undefined) return { ms: undefined };
  const parsed = parseGoDuration(text);
  if ('ms' in parsed) return parsed;
  return { error: `failed to parse unpack ${what} annotation(${key}: ${text}): ${parsed.error}` };
}
