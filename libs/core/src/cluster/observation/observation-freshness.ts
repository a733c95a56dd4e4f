/** Times in milliseconds; `observedMs` is the poller's time, `nowMs` the applier's. */
type ObservationTimes = Readonly<{
  observedMs: number;
  /** The newest observation of the same namespace that this applier has taken. */
  acceptedMs: number | undefined;
  nowMs: number;
  maxAgeMs: number;
}>;

/**
 * The verdict about an observation. `replayed`: older than one that was accepted before; a poller does not
 * write such. `old`: written by a poller that was unreachable, or kept by an attacker. `atLeastMs` is the
 * time that a new observation must have.
 */
type ObservationFreshness =
  | Readonly<{ fresh: true }>
  | Readonly<{ fresh: false; why: 'replayed' | 'old'; atLeastMs: number }>;

/**
 * Decides if the applier may still act on an authenticated observation. An attacker who can write to Redis
 * can keep one and write it again later, when the catalog offers another bundle. The clocks of poller and
 * applier need not agree. For a refused observation a new one is requested with `atLeastMs`. The poller uses
 * that time if its own clock is behind.
 */
export function observationFreshness(times: ObservationTimes): ObservationFreshness {
  const { observedMs, acceptedMs = 0, nowMs, maxAgeMs } = times;
  const atLeastMs = Math.max(acceptedMs, nowMs - maxAgeMs);
  if (observedMs >= atLeastMs) return { fresh: true };
  return { fresh: false, why: observedMs < acceptedMs ? 'replayed' : 'old', atLeastMs };
}
