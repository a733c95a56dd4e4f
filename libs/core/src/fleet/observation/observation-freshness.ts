/** Times in milliseconds; `observedMs` is the poller's time, `nowMs` the applier's. */
export type ObservationTimes = Readonly<{
  observedMs: number;
  /** The newest observation of the same namespace that this applier has taken. */
  acceptedMs: number | undefined;
  nowMs: number;
  maxAgeMs: number;
}>;

/**
 * `replayed`: an older one than was taken before, which a poller does not write. `old`: of a poller that was
 * away, or one that was kept; `atLeastMs` is what an observation in its place must have.
 */
export type ObservationFreshness =
  | Readonly<{ fresh: true }>
  | Readonly<{ fresh: false; why: 'replayed' | 'old'; atLeastMs: number }>;

/**
 * Whether an authenticated observation may still be acted on. Who can write to Redis can keep one and write
 * it again later, when the catalog offers something else.
 *
 * The clocks of poller and applier need not agree: an observation that is refused is asked for anew with
 * `atLeastMs`, which the poller then takes for its time where its own clock is behind.
 */
export function observationFreshness(times: ObservationTimes): ObservationFreshness {
  const { observedMs, acceptedMs = 0, nowMs, maxAgeMs } = times;
  const atLeastMs = Math.max(acceptedMs, nowMs - maxAgeMs);
  if (observedMs >= atLeastMs) return { fresh: true };
  return { fresh: false, why: observedMs < acceptedMs ? 'replayed' : 'old', atLeastMs };
}
