/** Times in milliseconds; `observedMs` is the poller's time, `nowMs` the applier's. */
type ObservationTimes = Readonly<{
  observedMs: number;
  /** The newest observation of the same namespace that this applier has taken. */
  acceptedMs: number | undefined;
  nowMs: number;
  maxAgeMs: number;
}>;

/**
 * `replayed`: older than one that was taken before, which a poller does not write. `old`: written by a poller
 * that was away, or kept by an attacker; `atLeastMs` is the time that a new observation must have.
 */
type ObservationFreshness =
  | Readonly<{ fresh: true }>
  | Readonly<{ fresh: false; why: 'replayed' | 'old'; atLeastMs: number }>;

/**
 * Whether an authenticated observation may still be acted on. An attacker who can write to Redis can keep one
 * and write it again later, when the catalog offers something else.
 *
 * The clocks of poller and applier need not agree: for a refused observation a new one is requested with
 * `atLeastMs`, which the poller takes for its time where its own clock is behind.
 */
export function observationFreshness(times: ObservationTimes): ObservationFreshness {
  const { observedMs, acceptedMs = 0, nowMs, maxAgeMs } = times;
  const atLeastMs = Math.max(acceptedMs, nowMs - maxAgeMs);
  if (observedMs >= atLeastMs) return { fresh: true };
  return { fresh: false, why: observedMs < acceptedMs ? 'replayed' : 'old', atLeastMs };
}
